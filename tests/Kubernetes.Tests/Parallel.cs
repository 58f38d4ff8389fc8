// The cluster takes longest and mostly waits, so it begins with the first; what computes fills the time.
[assembly: Xunit.v3.Parallelization(MaxThreads = 4)]
