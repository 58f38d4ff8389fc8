using System.Threading.RateLimiting;

namespace DroneDelivery.LabAgent.Emulation;

/// <summary>The CPU gate as the limiter of a service that receives messages: one is handled when the node has spent its cost.</summary>
internal sealed class CpuGateLimiter(CpuGate gate) : RateLimiter
{
    public override TimeSpan? IdleDuration => null;

    public override RateLimiterStatistics? GetStatistics() => null;

    protected override RateLimitLease AttemptAcquireCore(int permitCount) => new Lease(isAcquired: false);

    protected override async ValueTask<RateLimitLease> AcquireAsyncCore(int permitCount, CancellationToken cancellationToken)
    {
        await gate.HoldAsync();
        return new Lease(isAcquired: true);
    }

    private sealed class Lease(bool isAcquired) : RateLimitLease
    {
        public override bool IsAcquired => isAcquired;

        public override IEnumerable<string> MetadataNames => [];

        public override bool TryGetMetadata(string metadataName, out object? metadata)
        {
            metadata = null;
            return false;
        }
    }
}
