namespace Azure.Messaging.ServiceBus;

/// <summary>The places of a session processor: those at work, and those whose session stays open although the processor has
/// stopped.</summary>
internal sealed class SessionPumps(Func<SessionPump> create)
{
    private readonly Lock _gate = new();
    private readonly List<SessionPump> _working = [];
    private readonly Queue<SessionPump> _waiting = [];

    public async Task RunAsync(CancellationToken stopping, CancellationToken cancellationToken)
    {
        var pump = Take();
        try
        {
            await pump.RunAsync(stopping, cancellationToken);
        }
        finally
        {
            GiveBack(pump);
        }
    }

    public void ForEach(Action<SessionPump> change)
    {
        SessionPump[] all;
        lock (_gate)
            all = [.. _working, .. _waiting];
        foreach (var pump in all)
            change(pump);
    }

    /// <summary>Gives sessions back that nobody works on.</summary>
    /// <param name="kept">So many stay open.</param>
    /// <param name="stopping">For those who are told.</param>
    public async Task CloseSessionsAsync(int kept, CancellationToken stopping)
    {
        while (TakeBeyond(kept) is { } pump)
            await pump.CloseSessionAsync(stopping);
    }

    private SessionPump Take()
    {
        lock (_gate)
        {
            if (!_waiting.TryDequeue(out var pump))
                pump = create();
            _working.Add(pump);
            return pump;
        }
    }

    private void GiveBack(SessionPump pump)
    {
        lock (_gate)
        {
            _working.Remove(pump);
            if (pump.HasSession)
                _waiting.Enqueue(pump);
        }
    }

    private SessionPump? TakeBeyond(int kept)
    {
        lock (_gate)
            return _waiting.Count > kept ? _waiting.Dequeue() : null;
    }
}
