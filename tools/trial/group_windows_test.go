package trial

func playKilledGroup(s *stage) { s.t.Skip("process groups are of Unix") }
