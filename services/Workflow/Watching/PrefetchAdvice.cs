using System.Globalization;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Watching;

/// <summary>
/// Warns when the prefetch is so large that messages lose their locks while they wait here. With all C handlers busy this process takes
/// μr = C / service time messages per second; a message that arrives behind P − C/2 others waits (P − C/2) / μr, and its lock L ticks
/// from the moment the broker sends it. So P must stay below P* = L·μr + C/2; half of it leaves room for a slower hour.
/// </summary>
internal sealed partial class PrefetchAdvice(IOptions<WorkflowOptions> options, ILogger<PrefetchAdvice> logger) : IMessageObserver
{
    /// <summary>Messages between two looks, enough for a mean.</summary>
    private const int Window = 100;

    private readonly WorkflowOptions _options = options.Value;
    private readonly Lock _lock = new();
    private TimeSpan _longestLock;
    private TimeSpan _handled;
    private int _count;
    private bool _warned;

    /// <summary>P*, in messages.</summary>
    /// <param name="lockDuration">L.</param>
    /// <param name="serviceTime">How long one handler takes for a message.</param>
    /// <param name="calls">C, handlers at a time.</param>
    public static double Limit(TimeSpan lockDuration, TimeSpan serviceTime, int calls) =>
        lockDuration / serviceTime * calls + calls / 2.0;

    /// <summary>Judges by the options alone, when both are set.</summary>
    public void Starting()
    {
        if (_options is { LockDuration: { } lockDuration, ServiceTime: { } serviceTime })
            Judge(lockDuration, serviceTime);
    }

    public void Began(TimeSpan lockLeft)
    {
        lock (_lock)
            _longestLock = lockLeft > _longestLock ? lockLeft : _longestLock;
    }

    public void Ended(TimeSpan took)
    {
        lock (_lock)
        {
            _handled += took;
            _count++;
            if (_count < Window && _options.ServiceTime is null)
                return;
            Judge(_options.LockDuration ?? _longestLock, _options.ServiceTime ?? _handled / _count);
            (_handled, _count) = (TimeSpan.Zero, 0);
        }
    }

    // Once for each time that it becomes too large, not for every window in which it is.
    private void Judge(TimeSpan lockDuration, TimeSpan serviceTime)
    {
        var limit = Limit(lockDuration, serviceTime, _options.MaxConcurrentCalls);
        var tooLarge = _options.PrefetchCount > limit;
        if (tooLarge && !_warned)
            Warn(lockDuration, serviceTime, limit);
        _warned = tooLarge;
    }

    private void Warn(TimeSpan lockDuration, TimeSpan serviceTime, double limit)
    {
        var calls = _options.MaxConcurrentCalls;
        var rate = calls / serviceTime.TotalSeconds;
        var arithmetic = string.Create(
            CultureInfo.InvariantCulture,
            $"P* = L·μr + C/2 = {lockDuration.TotalSeconds:0.#} s · {rate:0.#}/s + {calls}/2 = {limit:0}");
        var wait = string.Create(CultureInfo.InvariantCulture, $"{(_options.PrefetchCount - calls / 2.0) / rate:0.#} s");
        Log.TooLarge(logger, _options.PrefetchCount, arithmetic, wait, Math.Max(calls, (int)(limit / 2)));
    }

    private static partial class Log
    {
        [LoggerMessage(
            Level = LogLevel.Warning,
            Message = "Workflow:PrefetchCount = {Prefetch} is over the safe limit {Arithmetic}: "
                + "the last of a full buffer waits {Wait} and its lock is lost by then. "
                + "Set at most {Recommended}, or lengthen the queue's lock duration")]
        public static partial void TooLarge(ILogger logger, int prefetch, string arithmetic, string wait, int recommended);
    }
}
