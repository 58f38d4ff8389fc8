using Azure.Messaging.ServiceBus;
using DroneDelivery.Workflow.Receiving;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Watching;

/// <summary>What is known of the pump's health: handlers at work, and whether the broker was reached since its last failure.</summary>
internal sealed class PumpHealth(TimeProvider time) : IMessageObserver
{
    private long _progress = time.GetTimestamp();
    private int _handlers;
    private volatile bool _brokerReached;

    public bool BrokerReached => _brokerReached;

    public void ReachedBroker() => _brokerReached = true;

    public void ReceivingFailed() => _brokerReached = false;

    public void Began(TimeSpan lockLeft)
    {
        Interlocked.Increment(ref _handlers);
        Progress();
    }

    public void Ended(TimeSpan took)
    {
        Progress();
        Interlocked.Decrement(ref _handlers);
    }

    /// <summary>For how long handlers have been running without one beginning or ending; zero when none runs.</summary>
    public TimeSpan Standstill() =>
        Volatile.Read(ref _handlers) == 0 ? TimeSpan.Zero : time.GetElapsedTime(Interlocked.Read(ref _progress));

    private void Progress() => Interlocked.Exchange(ref _progress, time.GetTimestamp());
}

/// <summary>Live: the processor runs or pauses, and its handlers get on.</summary>
internal sealed class PumpIsAlive(PausableProcessor processor, PumpHealth health, IOptions<WorkflowOptions> options) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var standstill = health.Standstill();
        return Task.FromResult(
            !processor.IsAlive ? HealthCheckResult.Unhealthy("The processor has stopped.")
            : standstill > options.Value.StallLimit ? HealthCheckResult.Unhealthy($"No handler began or ended for {standstill}.")
            : HealthCheckResult.Healthy());
    }
}

/// <summary>
/// Whether the queue could be read since the processor last reported an error. A look at the first message tells, and is taken only
/// after an error, so that probes leave no traces in telemetry.
/// </summary>
internal sealed class QueueIsReachable(ServiceBusReceiver receiver, PumpHealth health)
{
    public async Task AskAsync(CancellationToken cancellationToken)
    {
        if (health.BrokerReached)
            return;
        await receiver.PeekMessageAsync(cancellationToken: cancellationToken);
        health.ReachedBroker();
    }
}
