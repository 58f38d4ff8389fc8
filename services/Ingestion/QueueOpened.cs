using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace DroneDelivery.Ingestion;

/// <summary>
/// Ready once the queue has been opened, so the first request finds a link. A broker that goes away later does not take readiness back:
/// it goes away for every replica at once, and clients are better served by 503 with Retry-After than by no replica at all.
/// </summary>
internal sealed class QueueOpened(DeliveryQueue queue) : IHealthCheck
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    private volatile bool _opened;

    public async Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        if (_opened)
            return HealthCheckResult.Healthy();
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        patience.CancelAfter(Patience);
        try
        {
            await queue.OpenAsync(patience.Token);
            _opened = true;
            return HealthCheckResult.Healthy();
        }
        catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
        {
            return HealthCheckResult.Unhealthy($"The queue cannot be opened: {exception.Message}");
        }
    }
}
