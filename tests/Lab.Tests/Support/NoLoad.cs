namespace DroneDelivery.Lab.Tests.Support;

internal sealed class NoLoad(TimeProvider clock) : ILoadDriver
{
    public string Name => "none";

    public TimeSpan Cpu => TimeSpan.Zero;

    public long? Accepted => null;

    public CancellationToken Left { get; private set; }

    /// <summary>The time between the start of the generator and that of its load.</summary>
    public TimeSpan StartsAfter { get; init; }

    public bool IsRunning { get; private set; }

    public async Task<LoadResult> RunAsync(LoadPlan plan, Action started, CancellationToken cancellationToken)
    {
        (Left, var startedAt) = (cancellationToken, clock.GetUtcNow() + StartsAfter);
        started();
        IsRunning = true;
        try
        {
            var length = StartsAfter + TimeSpan.FromSeconds(plan.Profile.DurationSeconds);
            await Task.Delay(length, clock, cancellationToken);
        }
        finally
        {
            IsRunning = false;
        }

        return ResultOf(Name, startedAt, sent: 0);
    }

    public static LoadResult ResultOf(string driver, DateTimeOffset startedAt, long sent) =>
        new(driver, startedAt, sent, sent, ServerErrors: 0, Failed: 0, Dropped: 0, 1, 2, 3);
}
