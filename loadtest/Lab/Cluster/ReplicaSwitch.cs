using System.Collections.Concurrent;
using System.ComponentModel;

namespace DroneDelivery.Lab.Cluster;

/// <summary>What came of asking to stop or start a replica.</summary>
/// <param name="IsKnown">Whether there is such a replica.</param>
/// <param name="WhyNot">Why it was not done; null: it was.</param>
internal sealed record SwitchResult(bool IsKnown, string? WhyNot = null);

/// <summary>
/// Stops single replicas on request, and starts them again: one after the other, and only those that nobody else starts.
/// </summary>
/// <param name="historyOf">Of a process that has ended by itself.</param>
/// <param name="said">Told what happened, and to whom: <c>ReplicaStopped</c>, <c>ReplicaStarted</c>.</param>
internal sealed class ReplicaSwitch(
    Application application,
    Func<string, ProcessHistory?> historyOf,
    Action<string, string> said
) : IDisposable
{
    public const string Stopped = "ReplicaStopped",
        Started = "ReplicaStarted";

    private readonly SemaphoreSlim _one = new(1);
    private readonly ConcurrentDictionary<string, bool> _stopped = new();

    public bool HasStopped(string replica) => _stopped.ContainsKey(replica);

    /// <summary>Asks it to end, as a cluster does, and waits until it has: what it is doing is finished first.</summary>
    public Task<SwitchResult> StopAsync(string replica, CancellationToken cancellationToken) =>
        OneAtATimeAsync(
            replica,
            process =>
                HasStopped(replica) ? "It is stopped already."
                : process.Ended.IsCompleted || IsBeingRestarted(replica) ? "It has ended by itself."
                : null,
            async process =>
            {
                _stopped[replica] = true;
                try
                {
                    said(Stopped, replica);
                }
                finally
                {
                    await process.StopAsync(Application.Patience);
                }
            },
            cancellationToken
        );

    /// <summary>
    /// Starts one that was stopped, or that has ended and is left so, with the settings that it had, and waits until it is ready.
    /// </summary>
    /// <exception cref="Win32Exception">It could not be started, and is still stopped.</exception>
    public Task<SwitchResult> StartAsync(string replica, CancellationToken cancellationToken) =>
        OneAtATimeAsync(
            replica,
            process =>
                HasStopped(replica) || (process.Ended.IsCompleted && IsLeft(replica)) ? null : "It is not stopped.",
            async before =>
            {
                // From now on its end is one that the lab mends.
                var wasStopped = _stopped.TryRemove(replica, out var _);
                try
                {
                    // Whoever asked may be gone: the replica is started all the same.
                    await application.RestartAsync(replica, CancellationToken.None);
                }
                finally
                {
                    // It may run and not be ready yet.
                    if (application.Find(replica) != before)
                        said(Started, replica);
                    else if (wasStopped)
                        _stopped[replica] = true;
                }
            },
            cancellationToken
        );

    private bool IsBeingRestarted(string replica) => historyOf(replica) is { State: ProcessHistory.Restarting };

    /// <summary>Whether it is one that nobody starts again: it has ended too often, or the lab was told not to.</summary>
    private bool IsLeft(string replica) => historyOf(replica) is { State: ProcessHistory.Ended };

    public void Dispose() => _one.Dispose();

    private async Task<SwitchResult> OneAtATimeAsync(
        string replica,
        Func<ChildProcess, string?> whyNot,
        Func<ChildProcess, Task> act,
        CancellationToken cancellationToken
    )
    {
        await _one.WaitAsync(cancellationToken);
        try
        {
            if (application.Find(replica) is not { } process)
                return new(IsKnown: false);
            if (whyNot(process) is { } why)
                return new(IsKnown: true, why);
            await act(process);
            return new(IsKnown: true);
        }
        finally
        {
            _one.Release();
        }
    }
}
