namespace DroneDelivery.Gateway.Forwarding;

/// <summary>Ends an exchange when nothing has moved for too long, or when the client has gone.</summary>
internal sealed class Silence : IDisposable
{
    private readonly TimeSpan _longest;
    private readonly CancellationToken _clientGone;
    private readonly CancellationTokenSource _ended;
    private readonly CancellationTokenRegistration _registration;

    public Silence(TimeSpan longest, TimeProvider time, CancellationToken clientGone)
    {
        (_longest, _clientGone) = (longest, clientGone);
        _ended = new CancellationTokenSource(longest, time);
        _registration = clientGone.UnsafeRegister(static ended => ((CancellationTokenSource)ended!).Cancel(), _ended);
    }

    public CancellationToken Token => _ended.Token;

    public bool IsTooLong => _ended.IsCancellationRequested && !_clientGone.IsCancellationRequested;

    /// <summary>Something has moved.</summary>
    public void Broken() => _ended.CancelAfter(_longest);

    public void Dispose()
    {
        _registration.Dispose();
        _ended.Dispose();
    }
}
