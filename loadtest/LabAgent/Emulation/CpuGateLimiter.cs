using System.Threading.RateLimiting;

namespace DroneDelivery.LabAgent.Emulation;

/// <summary>The CPU gate as the limiter of a service that receives messages: one is handled when the node has spent its cost.</summary>
internal sealed class CpuGateLimiter(CpuGate gate) : RateLimiter
{
    private static readonly RateLimitLease Held = RateLimitPartition.GetNoLimiter(0).Factory(0).AttemptAcquire();

    public override TimeSpan? IdleDuration => null;

    public override RateLimiterStatistics? GetStatistics() => null;

    protected override RateLimitLease AttemptAcquireCore(int permitCount) =>
        throw new NotSupportedException("CPU takes time.");

    protected override async ValueTask<RateLimitLease> AcquireAsyncCore(
        int permitCount,
        CancellationToken cancellationToken
    )
    {
        await gate.HoldAsync();
        return Held;
    }
}
