namespace DroneDelivery.Services.Tests.Support;

/// <summary>Breaks some calls at random, until it is stopped.</summary>
internal sealed class RandomBreaks(int seed)
{
    private const int OneOf = 10;

    private readonly Random _random = new(seed);
    private volatile bool _stopped;

    public void Stop() => _stopped = true;

    public CallEnd Decide(string method, string path)
    {
        if (_stopped)
            return CallEnd.Answered;
        lock (_random)
        {
            return _random.Next(2 * OneOf) switch
            {
                0 => CallEnd.NeverArrives,
                1 => CallEnd.AnswerIsLost,
                _ => CallEnd.Answered,
            };
        }
    }
}
