// A made file in the manner of the packages: what declaration files are made of, and what must not confuse the reader.
import type { MessageParam } from 'elsewhere';
import * as core from './core.js';

/** type Commented = { type: 'in_a_comment' }; */
export declare type Message = UserMessage | core.AssistantMessage
    | (SystemInit & Common)
    | Notice<Record<string, { type: 'argument' }>>;

export declare type UserMessage = {
    readonly type: 'user';
    /** The role; not a type: 'x'. */
    message: { type: 'nested'; role: "user" };
    extra?: Array<{ type: 'element' }>;
    send(type: 'parameter'): Promise<void>;
    on: (type: 'event') => { type: 'returned' };
    [key: string]: unknown;
};

interface AssistantMessage extends Common, Other<string> {
    "type": `assistant`;
    content: ({ type: 'text' } | { type: 'tool' })[];
    pair: [type: 'a', other: 'b'];
}
declare type Common = { id: string; session?: string };
type SystemInit = { type: 'system'; subtype: 'init' | 'boundary' };
type Notice<T> = { type: Kinds.NOTICE; subtype: 'not_of_system'; of: T };
declare enum Kinds {
    NOTICE = "notice",
    LATER = 'later', // with its comment
    COUNT = 3
}
export type Status = Kinds | 'done';
type Loop = Loop | { type: 'loop'; again: Loop };
export type Bus = { payload: { type: 'plain.event' } | { type: 'sync'; inner: { type: 'kept.event.1' } } };
declare class NotRead { type: string; }
export declare function read(type: 'argument'): Message;
