using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;

namespace DroneDelivery.Lab.Cli;

/// <summary>The application of <c>lab up</c>: restarts what ends by itself, and tells <c>lab status</c> of it.</summary>
internal sealed class WatchedApplication : IDisposable
{
    private readonly Application _application;
    private readonly LabState _first;
    private readonly LabContext _context;
    private readonly Supervisor _supervisor;
    private readonly ReplicaSwitch _switch;
    private readonly Lock _saving = new();

    /// <param name="telemetry">Is told what somebody stops and starts, so that a query can compare it with what the services say.</param>
    public WatchedApplication(Application application, TelemetryCollector telemetry, LabState state, LabContext context)
    {
        (_application, _first, _context) = (application, state, context);
        _supervisor = new(application.RestartAsync, context.Error.Text.WriteLine, Save, context.Time);
        _switch = new(application, HistoryOf, (happened, replica) =>
        {
            if (telemetry.Note(happened, replica) is { } why)
                context.Error.Text.WriteLine($"The telemetry lacks the event {happened} of {replica}: {why}");
            Save();
        });
        Processes = new(application, context.Time) { Switch = _switch, HistoryOf = HistoryOf };
    }

    public LiveProcesses Processes { get; }

    /// <summary>Until Ctrl-C. A crash is told, and the rest goes on: that is what somebody who kills a replica wants to see.</summary>
    public Task SuperviseAsync(bool restarts, CancellationToken cancellationToken) =>
        _supervisor.RunAsync(_application.Crashes, restarts, cancellationToken);

    public void Dispose()
    {
        Processes.Dispose();
        _switch.Dispose();
    }

    private ProcessHistory? HistoryOf(string process) => _supervisor.Histories.GetValueOrDefault(process);

    private void Save()
    {
        var running = LabState.Of("up", _application, _context.Time);
        var state = running with
        {
            Since = _first.Since,
            Baseline = _first.Baseline,
            Histories = _supervisor.Histories.ToDictionary(),
            Replicas = [.. running.Replicas.Select(it => it with { IsStopped = _switch.HasStopped(it.Name) })],
        };
        try
        {
            lock (_saving)
                state.Save();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            _context.Error.Text.WriteLine($"`./lab status` shows the previous state: {exception.Message}");
        }
    }
}
