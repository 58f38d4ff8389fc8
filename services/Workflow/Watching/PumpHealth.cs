using Azure.Messaging.ServiceBus;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Watching;

/// <summary>What is known of the pump's health: handlers at work, and whether the broker was reached since its last failure.</summary>
internal sealed class PumpHealth(TimeProvider time)
{
    private long _progress = time.GetTimestamp();
    private int _handlers;
    private volatile bool _brokerReached;

    public bool BrokerReached => _brokerReached;

    public void ReachedBroker() => _brokerReached = true;

    public void BrokerFailed() => _brokerReached = false;

    /// <summary>Dispose it when the handler ends.</summary>
    public Handler HandlerBegins()
    {
        Interlocked.Increment(ref _handlers);
        Progress();
        return new Handler(this);
    }

    /// <summary>For how long handlers have been running without one beginning or ending; zero when none runs.</summary>
    public TimeSpan Standstill() =>
        Volatile.Read(ref _handlers) == 0 ? TimeSpan.Zero : time.GetElapsedTime(Interlocked.Read(ref _progress));

    private void Progress() => Interlocked.Exchange(ref _progress, time.GetTimestamp());

    public readonly struct Handler(PumpHealth health) : IDisposable
    {
        public void Dispose()
        {
            health.Progress();
            Interlocked.Decrement(ref health._handlers);
        }
    }
}

/// <summary>Live: the processor runs, and its handlers get on.</summary>
internal sealed class PumpIsAlive(ServiceBusProcessor processor, PumpHealth health, IOptions<WorkflowOptions> options) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var standstill = health.Standstill();
        return Task.FromResult(
            !processor.IsProcessing ? HealthCheckResult.Unhealthy("The processor has stopped.")
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
