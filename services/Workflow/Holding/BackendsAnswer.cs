using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace DroneDelivery.Workflow.Holding;

/// <summary>
/// Part of <c>/health/ready</c>: Degraded while receiving is held or tried, and says for whom. Never Unhealthy: another replica would
/// hold as well.
/// </summary>
internal sealed class BackendsAnswer(BackendOutage outage) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default) =>
        Task.FromResult(
            outage.Cause is { } cause ? HealthCheckResult.Degraded($"No message is received: {cause}.")
            : outage.OnTrial is { } service
                ? HealthCheckResult.Degraded($"One message at a time is received, until {service} has answered a call.")
            : HealthCheckResult.Healthy());
}
