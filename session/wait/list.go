package wait

import "container/list"

// List holds waiters by key.
type List[S comparable] struct {
	waiters map[any]*list.List
	keys    map[S]map[any]*list.Element // the elements of each waiter
}

// Add makes s wait for a key, once.
func (l *List[S]) Add(key any, s S) {
	if l.keys[s][key] != nil {
		return
	}
	if l.waiters == nil {
		l.waiters, l.keys = map[any]*list.List{}, map[S]map[any]*list.Element{}
	}
	if l.waiters[key] == nil {
		l.waiters[key] = list.New()
	}
	if l.keys[s] == nil {
		l.keys[s] = map[any]*list.Element{}
	}
	l.keys[s][key] = l.waiters[key].PushBack(s)
}

// Of returns the waiters of a key.
func (l *List[S]) Of(key any) []S {
	waiting := l.waiters[key]
	if waiting == nil {
		return nil
	}
	all := make([]S, 0, waiting.Len())
	for e := waiting.Front(); e != nil; e = e.Next() {
		all = append(all, e.Value.(S))
	}
	return all
}

// Take returns and removes the waiters of a key.
func (l *List[S]) Take(key any) []S {
	all := l.Of(key)
	delete(l.waiters, key)
	for _, s := range all {
		l.forget(s, key)
	}
	return all
}

// Drop removes s from the waiters of a key.
func (l *List[S]) Drop(key any, s S) {
	if e := l.keys[s][key]; e != nil {
		l.unlink(key, e)
		l.forget(s, key)
	}
}

// Remove removes s from the waiters of all keys.
func (l *List[S]) Remove(s S) {
	for key, e := range l.keys[s] {
		l.unlink(key, e)
	}
	delete(l.keys, s)
}

// Empty reports whether there are no waiters.
func (l *List[S]) Empty() bool { return len(l.waiters) == 0 }

func (l *List[S]) unlink(key any, e *list.Element) {
	if l.waiters[key].Remove(e); l.waiters[key].Len() == 0 {
		delete(l.waiters, key)
	}
}

func (l *List[S]) forget(s S, key any) {
	if delete(l.keys[s], key); len(l.keys[s]) == 0 {
		delete(l.keys, s)
	}
}
