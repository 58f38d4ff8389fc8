using System.Collections.Concurrent;

namespace DroneDelivery.Lab.Processes;

/// <summary>What came of asking to stop or start a replica.</summary>
internal abstract record SwitchResult
{
    private SwitchResult()
    {
    }

    internal sealed record Done : SwitchResult;

    internal sealed record NoSuchReplica : SwitchResult;

    /// <param name="Why">In a sentence.</param>
    internal sealed record NotNow(string Why) : SwitchResult;
}

/// <summary>Stops single replicas on request, and starts them again: one after the other, and only those that it has stopped.</summary>
/// <param name="application">Whose replicas they are.</param>
/// <param name="isBeingRestarted">Whether the lab starts a process again because it has ended by itself.</param>
/// <param name="said">Told what happened, and to whom: <c>ReplicaStopped</c>, <c>ReplicaStarted</c>.</param>
internal sealed class ReplicaSwitch(Application application, Func<string, bool> isBeingRestarted, Action<string, string> said) : IDisposable
{
    public const string Stopped = "ReplicaStopped", Started = "ReplicaStarted";

    private readonly SemaphoreSlim _one = new(1);
    private readonly ConcurrentDictionary<string, bool> _stopped = new();

    /// <summary>Whether somebody has stopped it.</summary>
    public bool HasStopped(string replica) => _stopped.ContainsKey(replica);

    /// <summary>Asks it to end, as a cluster does, and waits until it has: what it is doing is finished first.</summary>
    public Task<SwitchResult> StopAsync(string replica, CancellationToken cancellationToken) => OneAtATimeAsync(
        replica,
        process => HasStopped(replica) ? "It is stopped already."
            : process.Ended.IsCompleted || isBeingRestarted(replica) ? "It has ended by itself, and the lab starts it again." : null,
        async process =>
        {
            _stopped[replica] = true;
            said(Stopped, replica);
            await process.StopAsync(Application.Patience);
        },
        cancellationToken);

    /// <summary>Starts one that was stopped, with the settings that it had, and waits until it is ready.</summary>
    /// <exception cref="LabException">It did not become ready.</exception>
    public Task<SwitchResult> StartAsync(string replica, CancellationToken cancellationToken) => OneAtATimeAsync(
        replica,
        _ => HasStopped(replica) ? null : "It is not stopped.",
        async _ =>
        {
            // From now on its end is one that the lab mends.
            _stopped.TryRemove(replica, out var _);
            // Whoever asked may be gone: the replica is started all the same.
            await application.RestartAsync(replica, CancellationToken.None);
            said(Started, replica);
        },
        cancellationToken);

    public void Dispose() => _one.Dispose();

    private async Task<SwitchResult> OneAtATimeAsync(
        string replica, Func<ChildProcess, string?> whyNot, Func<ChildProcess, Task> act, CancellationToken cancellationToken)
    {
        await _one.WaitAsync(cancellationToken);
        try
        {
            if (application.Find(replica) is not { } process)
                return new SwitchResult.NoSuchReplica();
            if (whyNot(process) is { } why)
                return new SwitchResult.NotNow(why);
            await act(process);
            return new SwitchResult.Done();
        }
        finally
        {
            _one.Release();
        }
    }
}
