using DroneDelivery.ServiceDefaults.Resilience;

namespace DroneDelivery.Workflow.Holding;

/// <summary>
/// While a service that Workflow calls is away, no message is received: each would only fail and use up its deliveries. The service is
/// asked now and then, and receiving goes on by itself when it answers. If it had called itself healthy all the time, its answer proves
/// nothing: then one message at a time is received until one succeeds. If one fails, the next pause is twice as long.
/// </summary>
internal sealed partial class HoldReceiving(
    BackendOutage outage, IEnumerable<IHeld> receivers, HoldingMetrics metrics, TimeProvider time, ILogger<HoldReceiving> logger)
    : BackgroundService
{
    // Every replica of Workflow asks. In a long outage they ask less, so that many of them together do not trouble a service that starts.
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(3);
    private const double ShareOfOutage = 0.1;

    /// <summary>Between two messages that try a service.</summary>
    private static readonly TimeSpan LongestBetweenTrials = TimeSpan.FromMinutes(1);

    private readonly IHeld[] _receivers = [.. receivers];
    private TimeSpan _lasted;

    /// <summary>Between two questions, in an outage that has lasted so long.</summary>
    public static TimeSpan Pause(TimeSpan outage)
    {
        var pause = outage * ShareOfOutage;
        return pause < CalledService.AskingInterval ? CalledService.AskingInterval : pause > LongestPause ? LongestPause : pause;
    }

    /// <summary>How long receiving is held at least, if the pause before lasted so long and the message that ended it failed.</summary>
    public static TimeSpan BetweenTrials(TimeSpan before) => before * 2 < LongestBetweenTrials ? before * 2 : LongestBetweenTrials;

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        while (true)
        {
            await outage.UntilSomethingChangesAsync(stoppingToken);
            await TryHoldAsync(stoppingToken);
        }
    }

    // Whatever goes wrong with the pause itself, messages are received again: an outage must not become an end.
    private async Task TryHoldAsync(CancellationToken stoppingToken)
    {
        while (true)
        {
            try
            {
                if (await outage.AskAsync() is { } cause)
                    await HoldAsync(cause, stoppingToken);
                else if (outage.Cause is not null)
                    await EndAsync(); // of a pause that failed
                await ResumeAsync(stoppingToken);
                return;
            }
            catch (Exception failure) when (!stoppingToken.IsCancellationRequested)
            {
                Log.Failed(logger, failure);
                await Task.Delay(CalledService.AskingInterval, time, stoppingToken);
            }
        }
    }

    private async Task HoldAsync(string cause, CancellationToken stoppingToken)
    {
        var least = outage.OnTrial is null ? TimeSpan.Zero : BetweenTrials(_lasted);
        var began = time.GetTimestamp();
        Log.Began(logger, cause);
        metrics.Began();
        await outage.BeginAsync(cause);
        await Task.WhenAll(_receivers.Select(receiver => receiver.PauseAsync()));
        await UntilOverAsync(began, least, stoppingToken);
        _lasted = time.GetElapsedTime(began);
        await EndAsync();
        Log.Ended(logger, _lasted, outage.OnTrial is { } service ? $", one at a time until {service} has answered a call" : "");
    }

    private async Task UntilOverAsync(long began, TimeSpan least, CancellationToken stoppingToken)
    {
        while (true)
        {
            await Task.Delay(Pause(time.GetElapsedTime(began)), time, stoppingToken);
            if (await outage.AskAsync() is { } cause)
                outage.GoOn(cause);
            else if (time.GetElapsedTime(began) >= least)
                return;
        }
    }

    private async Task EndAsync()
    {
        await outage.EndAsync();
        metrics.Ended();
    }

    private async Task ResumeAsync(CancellationToken stoppingToken)
    {
        var oneByOne = outage.OnTrial is not null;
        foreach (var receiver in _receivers)
            await receiver.ResumeAsync(oneByOne, stoppingToken);
    }

    private static partial class Log
    {
        [LoggerMessage(Level = LogLevel.Warning, Message = "{Cause}. No message is received until it works (Workflow:HoldDuringOutage)")]
        public static partial void Began(ILogger logger, string cause);

        [LoggerMessage(Level = LogLevel.Warning, Message = "The pause of receiving failed and is tried again")]
        public static partial void Failed(ILogger logger, Exception failure);

        [LoggerMessage(Level = LogLevel.Information, Message = "Messages are received again after {Outage}{How}")]
        public static partial void Ended(ILogger logger, TimeSpan outage, string how);
    }
}
