using System.Diagnostics;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Messaging;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Supervising;

/// <summary>
/// Receives what the queue has dead-lettered, and completes a message when <see cref="EndRequest"/> is done with it. When that fails, the
/// message goes back with a growing delay. It is never lost: a dead-letter queue has no limit of deliveries and no dead-letter queue.
/// </summary>
internal sealed partial class DeadLetterSupervisor(
    ServiceBusClient client,
    IOptions<ServiceBusOptions> serviceBus,
    IOptions<WorkflowOptions> workflow,
    EndRequest endRequest,
    TimeProvider time,
    ILogger<DeadLetterSupervisor> logger) : IHostedService, IAsyncDisposable
{
    public const string FailuresProperty = "supervisorFailures";

    // One that cannot be ended for now waits in its handler; the others go on.
    private const int MaxConcurrentCalls = 4;

    private static readonly TimeSpan FirstDelay = TimeSpan.FromSeconds(1);

    private readonly CancellationTokenSource _outOfTime = new();
    private ServiceBusProcessor? _processor;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (!workflow.Value.Supervisor.Enabled)
            return Task.CompletedTask;
        _processor = client.CreateProcessor(serviceBus.Value.QueueName, new ServiceBusProcessorOptions
        {
            SubQueue = SubQueue.DeadLetter,
            AutoCompleteMessages = false,
            MaxConcurrentCalls = MaxConcurrentCalls,
        });
        _processor.ProcessMessageAsync += OnMessageAsync;
        _processor.ProcessErrorAsync += OnErrorAsync;
        return _processor.StartProcessingAsync(cancellationToken);
    }

    public async Task StopAsync(CancellationToken cancellationToken)
    {
        if (_processor is null)
            return;
        using var registration = cancellationToken.Register(_outOfTime.Cancel);
        await _processor.StopProcessingAsync(CancellationToken.None);
    }

    public async ValueTask DisposeAsync()
    {
        if (_processor is not null)
            await _processor.DisposeAsync();
        _outOfTime.Dispose();
    }

    private async Task OnMessageAsync(ProcessMessageEventArgs args)
    {
        var deliveryId = args.Message.CorrelationId ?? args.Message.MessageId;
        Activity.Current?.AddBaggage("deliveryId", deliveryId);
        using var scope = Log.Scope(logger, deliveryId);
        try
        {
            await endRequest.HandleAsync(args.Message, _outOfTime.Token);
            await args.CompleteMessageAsync(args.Message, CancellationToken.None);
        }
        catch (Exception failure)
        {
            var failures = args.Message.ApplicationProperties.GetValueOrDefault(FailuresProperty) is int before ? before + 1 : 1;
            Log.EndingFailed(logger, args.Message.MessageId, failures, failure.Message);
            await AbandonAsync(args, failures);
        }
    }

    /// <summary>The queue would hand it out again at once. A processor that stops does not sit out the delay.</summary>
    private async Task AbandonAsync(ProcessMessageEventArgs args, int failures)
    {
        var untilHalfTheLock = (args.Message.LockedUntil - time.GetUtcNow()) / 2;
        var delay = FirstDelay * Math.Pow(2, Math.Min(failures - 1, 10));
        if (delay > untilHalfTheLock)
            delay = untilHalfTheLock > TimeSpan.Zero ? untilHalfTheLock : TimeSpan.Zero;
        await Task.Delay(delay, time, args.CancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        try
        {
            await args.AbandonMessageAsync(
                args.Message, new Dictionary<string, object> { [FailuresProperty] = failures }, CancellationToken.None);
        }
        catch (ServiceBusException exception)
        {
            // It comes again when its lock ends.
            Log.AbandonFailed(logger, args.Message.MessageId, exception.Message);
        }
    }

    private Task OnErrorAsync(ProcessErrorEventArgs args)
    {
        Log.ReceivingFailed(logger, args.ErrorSource, args.EntityPath, args.Exception.Message);
        return Task.CompletedTask;
    }

    private static partial class Log
    {
        public static readonly Func<ILogger, string?, IDisposable?> Scope = LoggerMessage.DefineScope<string?>("Delivery {DeliveryId}");

        [LoggerMessage(
            Level = LogLevel.Warning,
            Message = "The request of the dead letter {MessageId} could not be ended (failure {Failures}): {Failure}")]
        public static partial void EndingFailed(ILogger logger, string? messageId, int failures, string failure);

        [LoggerMessage(Level = LogLevel.Warning, Message = "The dead letter {MessageId} could not be abandoned: {Failure}")]
        public static partial void AbandonFailed(ILogger logger, string? messageId, string failure);

        [LoggerMessage(Level = LogLevel.Warning, Message = "{Source} on {Queue} failed: {Failure}")]
        public static partial void ReceivingFailed(ILogger logger, ServiceBusErrorSource source, string queue, string failure);
    }
}
