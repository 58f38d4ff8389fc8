// The cluster tests take longest and mostly wait, so they start first. CPU-bound tests use the rest of the time.
[assembly: Xunit.v3.Parallelization(MaxThreads = 4)]
