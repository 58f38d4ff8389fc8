using DroneDelivery.Lab.Load;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>Takes as long as the profile says, and sends nothing.</summary>
internal sealed class NoLoad(TimeProvider clock) : ILoadDriver
{
    public string Name => "none";

    public TimeSpan Cpu => TimeSpan.Zero;

    public long? Accepted => null;

    public async Task<LoadResult> RunAsync(LoadPlan plan, Action started, CancellationToken cancellationToken)
    {
        var startedAt = clock.GetUtcNow();
        started();
        await Task.Delay(TimeSpan.FromSeconds(plan.Profile.DurationSeconds), clock, cancellationToken);
        return new()
        {
            Driver = Name,
            StartedAt = startedAt,
            Sent = 0,
            Accepted = 0,
            ServerErrors = 0,
            Failed = 0,
            Dropped = 0,
            P50 = 1,
            P95 = 2,
            P99 = 3,
        };
    }
}
