using System.Threading.Tasks.Sources;

namespace DroneDelivery.LabAgent.Gate;

/// <summary>One wait for CPU time; used again and again, so that a hold allocates nothing.</summary>
internal sealed class Hold(int id, Action<Hold> free) : IValueTaskSource
{
    // What waits runs elsewhere: the loop that reads the answers must not do the service's work.
    private ManualResetValueTaskSourceCore<bool> _core = new() { RunContinuationsAsynchronously = true };

    public int Id => id;

    /// <summary>Asked for and not answered. Guarded by the connection's lock.</summary>
    public bool IsPending { get; set; }

    /// <summary>To be called when the wait before is over and seen.</summary>
    public ValueTask Begin()
    {
        _core.Reset();
        IsPending = true;
        return new ValueTask(this, _core.Version);
    }

    public void End() => _core.SetResult(true);

    public void Fail(GateLostException reason) => _core.SetException(reason);

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    public void GetResult(short token)
    {
        _core.GetResult(token); // throws after Fail: such a hold is not used again, and neither is its connection
        free(this);
    }
}
