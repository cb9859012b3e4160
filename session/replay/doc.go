// Package replay follows a stream through restarts.
//
// After a restart a stream is replayed from its beginning to its offset. The lines contain most of its state. The rest is what time and other
// streams caused: [Step] values, each after a line. A [Replay] repeats them between the lines ([Replay.Next]), decides which events of replayed
// lines were exported before ([Replay.Delivered]), and records the steps of this process ([Replay.Record]).
//
//	a step                     counts once its output was acknowledged ([Taken.Accept]); until then the stream must be replayed
//	events in another's batch  the same ([Replay.HandOver], [Replay.AcceptHandOver]): a parent's line released them
//	events that were pending   are exported after the restart; the first of them is a [Place]
//
// The package does not know what a step does. A Replay is not safe for concurrent use.
package replay
