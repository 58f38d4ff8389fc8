using System.Diagnostics.Metrics;
using DroneDelivery.Calls;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>Receives messages, except while the circuit to a service is open (docs/explanation/failures.md).</summary>
internal sealed partial class PauseDuringOutage(
    Circuits circuits,
    MessageReceiver receiver,
    IOptions<WorkflowOptions> options,
    IMeterFactory meters,
    TimeProvider time,
    ILogger<PauseDuringOutage> logger
) : BackgroundService, IHealthCheck
{
    /// <summary>Gauge with the values 0 (receiving), 1 (one by one), and 2 (paused).</summary>
    public const string StateName = "drone_delivery.receiving.state";

    private const int Receiving = 0,
        OneByOne = 1,
        None = 2;

    private readonly SemaphoreSlim _changed = new(0);
    private volatile int _state = Receiving;

    private string Services => string.Join(", ", circuits.OpenServices);

    /// <summary>Never Unhealthy, because other replicas pause as well.</summary>
    public Task<HealthCheckResult> CheckHealthAsync(
        HealthCheckContext context,
        CancellationToken cancellationToken = default
    ) =>
        Task.FromResult(
            _state switch
            {
                Receiving => HealthCheckResult.Healthy(),
                OneByOne => HealthCheckResult.Degraded($"Receiving messages one by one until {Services} responds."),
                _ => HealthCheckResult.Degraded($"Receiving is paused: {Services} unavailable."),
            }
        );

    /// <summary>Waits for the handlers, which are cancelled when the host's shutdown timeout expires.</summary>
    public override async Task StopAsync(CancellationToken cancellationToken)
    {
        using var registration = cancellationToken.Register(receiver.Interrupt);
        await base.StopAsync(CancellationToken.None);
    }

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        meters
            .Create(MessageMetrics.MeterName)
            .CreateObservableGauge(StateName, () => _state, "1", "0: receiving, 1: one by one, 2: paused.");
        if (options.Value.HoldDuringOutage)
            circuits.Changed += OnChange;
        try
        {
            await receiver.StartAsync(oneByOne: false);
            while (true)
            {
                await _changed.WaitAsync(stoppingToken);
                await FollowCircuitsAsync(stoppingToken);
            }
        }
        finally
        {
            circuits.Changed -= OnChange;
            await receiver.CloseAsync();
        }
    }

    private async Task FollowCircuitsAsync(CancellationToken stoppingToken)
    {
        if (circuits.RemainingBreak > TimeSpan.Zero)
        {
            if (_state == Receiving)
                Paused(Services);
            _state = None;
            // In this order: an interrupted handler would receive another message, and the SDK loses messages that arrive while its
            // processor stops.
            var closing = receiver.CloseAsync();
            receiver.Interrupt();
            await closing;
            for (var left = circuits.RemainingBreak; left > TimeSpan.Zero; left = circuits.RemainingBreak)
                await Task.Delay(left, time, stoppingToken);
        }
        var state = circuits.OpenServices.Count > 0 ? OneByOne : Receiving;
        if (state == _state)
            return;
        if (state == Receiving)
            Resumed();
        _state = state;
        await receiver.CloseAsync();
        stoppingToken.ThrowIfCancellationRequested();
        await receiver.StartAsync(oneByOne: state == OneByOne);
    }

    private void OnChange() => _changed.Release();

    [LoggerMessage(
        Level = LogLevel.Warning,
        Message = "Receiving paused: {Services} unavailable (Workflow:HoldDuringOutage)"
    )]
    private partial void Paused(string services);

    [LoggerMessage(Level = LogLevel.Information, Message = "Receiving resumed: all circuits are closed")]
    private partial void Resumed();
}
