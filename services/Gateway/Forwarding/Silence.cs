using System.Collections.Concurrent;

namespace DroneDelivery.Gateway.Forwarding;

/// <summary>Makes the <see cref="Silence"/> of each exchange of a route.</summary>
/// <param name="longest">For how long nothing may move.</param>
/// <param name="time">Clock of that.</param>
internal sealed class Silences(TimeSpan longest, TimeProvider time)
{
    private const int MostSpare = 1_000;

    // A source has a timer, which costs more than all the rest here. So one that was not needed is used again.
    private readonly ConcurrentQueue<CancellationTokenSource> _spare = new();

    public TimeSpan Longest => longest;

    public Silence Begin(CancellationToken clientGone)
    {
        if (!_spare.TryDequeue(out var ended))
            return new Silence(this, new CancellationTokenSource(longest, time), clientGone);
        ended.CancelAfter(longest);
        return new Silence(this, ended, clientGone);
    }

    public void TakeBack(CancellationTokenSource ended)
    {
        if (_spare.Count < MostSpare && ended.TryReset())
            _spare.Enqueue(ended);
        else
            ended.Dispose();
    }
}

/// <summary>Ends an exchange when nothing has moved for too long, or when the client has gone.</summary>
internal sealed class Silence : IDisposable
{
    private readonly Silences _owner;
    private readonly CancellationToken _clientGone;
    private readonly CancellationTokenSource _ended;
    private readonly CancellationTokenRegistration _registration;

    public Silence(Silences owner, CancellationTokenSource ended, CancellationToken clientGone)
    {
        (_owner, _ended, _clientGone) = (owner, ended, clientGone);
        _registration = clientGone.UnsafeRegister(static ended => ((CancellationTokenSource)ended!).Cancel(), ended);
    }

    public CancellationToken Token => _ended.Token;

    public TimeSpan Longest => _owner.Longest;

    public bool IsTooLong => _ended.IsCancellationRequested && !_clientGone.IsCancellationRequested;

    /// <summary>Something has moved.</summary>
    public void Broken() => _ended.CancelAfter(_owner.Longest);

    /// <summary>Waits for a cancellation that is under way, so that it cannot end the next exchange.</summary>
    public void Dispose()
    {
        _registration.Dispose();
        _owner.TakeBack(_ended);
    }
}
