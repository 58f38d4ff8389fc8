using DroneDelivery.ServiceDefaults.Resilience;
using DroneDelivery.Workflow.Receiving;

namespace DroneDelivery.Workflow.Holding;

/// <summary>
/// While a service that Workflow calls is away, no message is received: each would only fail and use up its deliveries. The service is
/// asked now and then, and receiving goes on by itself when it answers.
/// </summary>
internal sealed partial class HoldReceiving(
    BackendOutage outage, PausableProcessor processor, TimeProvider time, ILogger<HoldReceiving> logger) : BackgroundService
{
    // Every replica of Workflow asks. In a long outage they ask less, so that many of them together do not trouble a service that starts.
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(3);
    private const double ShareOfOutage = 0.1;

    /// <summary>Between two questions, in an outage that has lasted so long.</summary>
    public static TimeSpan Pause(TimeSpan outage)
    {
        var pause = outage * ShareOfOutage;
        return pause < CalledService.AskingInterval ? CalledService.AskingInterval : pause > LongestPause ? LongestPause : pause;
    }

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        while (true)
        {
            await outage.UntilAnAttemptFailsAsync(stoppingToken);
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
                    await outage.EndAsync(); // of a pause that failed
                await processor.ResumeAsync(stoppingToken);
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
        var began = time.GetTimestamp();
        Log.Began(logger, cause);
        await outage.BeginAsync(cause);
        await processor.PauseAsync();
        await UntilOverAsync(began, stoppingToken);
        await outage.EndAsync();
        await processor.ResumeAsync(stoppingToken);
        var lasted = time.GetElapsedTime(began);
        Log.Ended(logger, lasted);
    }

    private async Task UntilOverAsync(long began, CancellationToken stoppingToken)
    {
        while (true)
        {
            await Task.Delay(Pause(time.GetElapsedTime(began)), time, stoppingToken);
            if (await outage.AskAsync() is not { } cause)
                return;
            outage.GoOn(cause);
        }
    }

    private static partial class Log
    {
        [LoggerMessage(Level = LogLevel.Warning, Message = "{Cause}. No message is received until it works (Workflow:HoldDuringOutage)")]
        public static partial void Began(ILogger logger, string cause);

        [LoggerMessage(Level = LogLevel.Warning, Message = "The pause of receiving failed and is tried again")]
        public static partial void Failed(ILogger logger, Exception failure);

        [LoggerMessage(Level = LogLevel.Information, Message = "Messages are received again after {Outage}")]
        public static partial void Ended(ILogger logger, TimeSpan outage);
    }
}
