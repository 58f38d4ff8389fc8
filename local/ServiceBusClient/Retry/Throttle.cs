namespace Azure.Messaging.ServiceBus;

/// <summary>A broker that said it is busy is left alone for a while: every operation of the same sender or receiver waits
/// before it is tried.</summary>
internal sealed class Throttle(TimeProvider time)
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(10);
    private long _until = long.MinValue;

    private bool IsOn => time.GetTimestamp() < Interlocked.Read(ref _until);

    /// <summary>Further refusals while it is on do not prolong it.</summary>
    public void OnBusy()
    {
        if (!IsOn)
            Interlocked.Exchange(ref _until, time.GetTimestamp() + (long)(Pause.TotalSeconds * time.TimestampFrequency));
    }

    /// <param name="tryTimeout">A try that may not take as long as the pause is used up by waiting.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>False when the broker is still to be left alone.</returns>
    public async Task<bool> WaitAsync(TimeSpan tryTimeout, CancellationToken cancellationToken)
    {
        if (!IsOn)
            return true;
        await Task.Delay(tryTimeout < Pause ? tryTimeout : Pause, time, cancellationToken);
        return tryTimeout >= Pause || !IsOn;
    }
}
