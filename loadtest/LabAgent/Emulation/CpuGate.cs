using DroneDelivery.LabAgent.Gate;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace DroneDelivery.LabAgent.Emulation;

/// <summary>
/// The CPU of the virtual node that this replica runs on. Off unless <c>Emulation:CpuGate</c> is configured. If the lab exits, the process
/// stops with an error, because work without a CPU cost would falsify the measurement.
/// </summary>
internal sealed partial class CpuGate : IHostedService
{
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1);
    private readonly CpuGateOptions? _options;
    private readonly IHostApplicationLifetime _lifetime;
    private readonly ILogger<CpuGate> _logger;
    private GateConnection? _connection;
    private Task _watch = Task.CompletedTask;

    public CpuGate(IOptions<EmulationOptions> options, IHostApplicationLifetime lifetime, ILogger<CpuGate> logger) =>
        (_options, _lifetime, _logger) = (options.Value.CpuGate, lifetime, logger);

    public bool IsOn => _options is not null;

    /// <summary>Waits until the node has spent this replica's CPU cost; without emulation, returns immediately.</summary>
    /// <exception cref="DependencyUnavailableException">The lab has exited.</exception>
    public Task HoldAsync() => _connection is { } connection ? HoldAsync(connection) : Task.CompletedTask;

    Task IHostedService.StartAsync(CancellationToken cancellationToken)
    {
        if (_options is null)
            return Task.CompletedTask;
        try
        {
            _connection = GateConnection.Connect(
                _options.Socket!,
                _options.Replica!,
                TimeSpan.FromMilliseconds(_options.CostMilliseconds!.Value)
            );
        }
        catch (GateLostException exception)
        {
            throw new OptionsValidationException(
                EmulationOptions.Section,
                typeof(EmulationOptions),
                [$"Emulation:CpuGate: {exception.Message} Leave the section out to run without a virtual node."]
            );
        }

        _watch = WatchAsync(_connection);
        return Task.CompletedTask;
    }

    async Task IHostedService.StopAsync(CancellationToken cancellationToken)
    {
        if (_connection is null)
            return;
        await _connection.DisposeAsync();
        await _watch;
    }

    private static async Task HoldAsync(GateConnection connection)
    {
        try
        {
            await connection.HoldAsync();
        }
        catch (GateLostException exception)
        {
            throw new DependencyUnavailableException(
                "urn:drone-delivery:cpu-gate-lost",
                "The virtual node is gone",
                exception.Message,
                RetryAfter,
                exception
            );
        }
    }

    private async Task WatchAsync(GateConnection connection)
    {
        if (await connection.Ended is not { Message: var reason })
            return;
        Log.Lost(_logger, reason);
        Environment.ExitCode = 1;
        _lifetime.StopApplication();
    }

    private static partial class Log
    {
        [LoggerMessage(
            Level = LogLevel.Critical,
            Message = "{Reason} Without it the CPU of this replica's virtual node would be free, so the process stops."
        )]
        public static partial void Lost(ILogger logger, string reason);
    }
}
