using System.Diagnostics;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Messaging;
using DroneDelivery.Workflow.Holding;
using DroneDelivery.Workflow.Receiving;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Supervising;

/// <summary>
/// Receives what the queue has dead-lettered, and completes a message when <see cref="EndRequest"/> is done with it. When that fails, the
/// message goes back with a growing delay. It is never lost: a dead-letter queue has no limit of deliveries and no dead-letter queue. One
/// that is refused again and again, or fails without end, would keep a handler from the others for ever, so the operators get it as it is.
/// </summary>
internal sealed partial class DeadLetterSupervisor : IHostedService, IHeld, IAsyncDisposable
{
    /// <summary>How often it could not be ended; those of them that no repetition can mend.</summary>
    public const string FailuresProperty = "supervisorFailures", RefusalsProperty = "supervisorRefusals";

    /// <summary>After so many the operators get it. Of all failures more: most of them pass.</summary>
    public const int MostRefusals = 5, MostFailures = 20;

    // One that cannot be ended for now waits in its handler; the others go on.
    private const int MaxConcurrentCalls = 4;

    private static readonly TimeSpan FirstDelay = TimeSpan.FromSeconds(1);

    private readonly PausableProcessor _processor;
    private readonly bool _isEnabled;
    private readonly BackendOutage _outage;
    private readonly EndRequest _endRequest;
    private readonly DeadLetterMetrics _metrics;
    private readonly TimeProvider _time;
    private readonly ILogger<DeadLetterSupervisor> _logger;
    private readonly CancellationTokenSource _outOfTime = new();

    public DeadLetterSupervisor(
        ServiceBusClient client,
        IOptions<ServiceBusOptions> serviceBus,
        IOptions<WorkflowOptions> workflow,
        BackendOutage outage,
        EndRequest endRequest,
        DeadLetterMetrics metrics,
        TimeProvider time,
        ILoggerFactory loggers)
    {
        (_isEnabled, _outage, _endRequest) = (workflow.Value.Supervisor.Enabled, outage, endRequest);
        (_metrics, _time, _logger) = (metrics, time, loggers.CreateLogger<DeadLetterSupervisor>());
        _processor = new(client, serviceBus.Value.QueueName, ProcessorOptions, loggers.CreateLogger<PausableProcessor>());
    }

    public Task StartAsync(CancellationToken cancellationToken) =>
        _isEnabled ? _processor.StartAsync(OnMessageAsync, OnErrorAsync, cancellationToken) : Task.CompletedTask;

    public async Task StopAsync(CancellationToken cancellationToken)
    {
        using var registration = cancellationToken.Register(_outOfTime.Cancel);
        await _processor.StopAsync();
    }

    public Task PauseAsync() => _processor.PauseAsync();

    public Task ResumeAsync(bool oneByOne, CancellationToken cancellationToken) => _processor.ResumeAsync(oneByOne, cancellationToken);

    public async ValueTask DisposeAsync()
    {
        await _processor.DisposeAsync();
        _outOfTime.Dispose();
    }

    private static ServiceBusProcessorOptions ProcessorOptions(bool oneByOne) => new()
    {
        SubQueue = SubQueue.DeadLetter,
        AutoCompleteMessages = false,
        MaxConcurrentCalls = oneByOne ? 1 : MaxConcurrentCalls,
    };

    private async Task OnMessageAsync(ProcessMessageEventArgs args)
    {
        var deliveryId = args.Message.CorrelationId ?? args.Message.MessageId;
        Activity.Current?.AddBaggage("deliveryId", deliveryId);
        using var scope = Log.Scope(_logger, deliveryId);
        var outageBegan = _outage.Began;
        using var givingUp = CancellationTokenSource.CreateLinkedTokenSource(_outOfTime.Token, outageBegan);
        try
        {
            await _endRequest.HandleAsync(args.Message, givingUp.Token);
            await CompleteAsync(args, DeadLetterMetrics.Ended);
        }
        catch (Exception failure)
        {
            var isOutage = outageBegan.IsCancellationRequested || await _outage.ExplainAsync(failure) is not null;
            await EndLaterAsync(args, failure, isOutage);
        }
    }

    /// <summary>In an outage nothing is counted: it says nothing of this dead letter.</summary>
    private async Task EndLaterAsync(ProcessMessageEventArgs args, Exception failure, bool isOutage)
    {
        var failures = CountIn(args.Message, FailuresProperty) + (isOutage ? 0 : 1);
        var refusals = CountIn(args.Message, RefusalsProperty) + (isOutage || MayPass(failure) ? 0 : 1);
        _metrics.CountFailure();
        Log.EndingFailed(_logger, args.Message.MessageId, failures, failure.Message);
        var mayStillEnd = isOutage || (refusals < MostRefusals && failures < MostFailures);
        if (mayStillEnd || !await TryGiveUpAsync(args, failure, failures))
            await AbandonAsync(args, failures, refusals);
    }

    /// <summary>What its request has made may stay; whoever replays it starts anew.</summary>
    private async Task<bool> TryGiveUpAsync(ProcessMessageEventArgs args, Exception failure, int failures)
    {
        try
        {
            await _endRequest.GiveUpAsync(args.Message, failure.Message, _outOfTime.Token);
            await CompleteAsync(args, DeadLetterMetrics.GivenUp);
            Log.GaveUp(_logger, args.Message.MessageId, failures, failure.Message);
            return true;
        }
        catch (Exception exception)
        {
            Log.GivingUpFailed(_logger, args.Message.MessageId, exception.Message);
            return false;
        }
    }

    private async Task CompleteAsync(ProcessMessageEventArgs args, string outcome)
    {
        await args.CompleteMessageAsync(args.Message, CancellationToken.None);
        _metrics.CountEnd(outcome);
    }

    /// <summary>The queue would hand it out again at once. A processor that stops does not sit out the delay.</summary>
    private async Task AbandonAsync(ProcessMessageEventArgs args, int failures, int refusals)
    {
        var untilHalfTheLock = (args.Message.LockedUntil - _time.GetUtcNow()) / 2;
        var delay = FirstDelay * Math.Pow(2, Math.Clamp(failures - 1, 0, 10));
        if (delay > untilHalfTheLock)
            delay = untilHalfTheLock > TimeSpan.Zero ? untilHalfTheLock : TimeSpan.Zero;
        using (_metrics.Waiting())
            await Task.Delay(delay, _time, args.CancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        try
        {
            var counts = new Dictionary<string, object> { [FailuresProperty] = failures, [RefusalsProperty] = refusals };
            await args.AbandonMessageAsync(args.Message, counts, CancellationToken.None);
        }
        catch (ServiceBusException exception)
        {
            // It comes again when its lock ends.
            Log.AbandonFailed(_logger, args.Message.MessageId, exception.Message);
        }
    }

    private Task OnErrorAsync(ProcessErrorEventArgs args)
    {
        Log.ReceivingFailed(_logger, args.ErrorSource, args.EntityPath, args.Exception.Message);
        return Task.CompletedTask;
    }

    private static int CountIn(ServiceBusReceivedMessage message, string property) =>
        message.ApplicationProperties.GetValueOrDefault(property) is int before ? before : 0;

    /// <summary>Any other failure is a refusal, or a defect of ours: it comes again with each repetition.</summary>
    private static bool MayPass(Exception failure) =>
        failure is HttpRequestException or ServiceBusException or UnauthorizedAccessException or OperationCanceledException
            or ObjectDisposedException;

    private static partial class Log
    {
        public static readonly Func<ILogger, string?, IDisposable?> Scope = LoggerMessage.DefineScope<string?>("Delivery {DeliveryId}");

        [LoggerMessage(
            Level = LogLevel.Warning,
            Message = "The request of the dead letter {MessageId} could not be ended (failure {Failures}): {Failure}")]
        public static partial void EndingFailed(ILogger logger, string? messageId, int failures, string failure);

        [LoggerMessage(
            Level = LogLevel.Error,
            Message = "The request of the dead letter {MessageId} could not be ended {Failures} times and is left to the operators "
                + "as it is: {Failure}")]
        public static partial void GaveUp(ILogger logger, string? messageId, int failures, string failure);

        [LoggerMessage(Level = LogLevel.Warning, Message = "The dead letter {MessageId} could not be given to the operators: {Failure}")]
        public static partial void GivingUpFailed(ILogger logger, string? messageId, string failure);

        [LoggerMessage(Level = LogLevel.Warning, Message = "The dead letter {MessageId} could not be abandoned: {Failure}")]
        public static partial void AbandonFailed(ILogger logger, string? messageId, string failure);

        [LoggerMessage(Level = LogLevel.Warning, Message = "{Source} on {Queue} failed: {Failure}")]
        public static partial void ReceivingFailed(ILogger logger, ServiceBusErrorSource source, string queue, string failure);
    }
}
