using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Text.Json;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults.Metrics;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>Meter <c>DroneDelivery.Workflow</c> (docs/reference/metrics.md).</summary>
internal sealed class MessageMetrics(IMeterFactory meters, IOptions<ServiceBusOptions> queue, TimeProvider time)
{
    public const string MeterName = "DroneDelivery.Workflow";

    private readonly string _queue = queue.Value.QueueName;
    private readonly Counter<long> _settled = meters
        .Create(MeterName)
        .CreateCounter<long>("drone_delivery.messages.settled", "{message}", "Messages settled.");
    private readonly Counter<long> _failed = meters
        .Create(MeterName)
        .CreateCounter<long>("drone_delivery.settlements.failed", "{settlement}", "Settlements that failed.");
    private readonly Histogram<double> _duration = meters
        .Create(MeterName)
        .CreateDuration("messaging.process.duration", "Duration of handling a message, including its settlement.");
    private readonly Histogram<double> _age = meters
        .Create(MeterName)
        .CreateDuration(
            "drone_delivery.request.age",
            "Age of a request when it is completed.",
            0.05,
            0.1,
            0.25,
            0.5,
            1,
            2.5,
            5,
            10,
            30,
            60,
            300,
            900,
            3600,
            14400,
            86400
        );

    public void Handled(ServiceBusReceivedMessage message, TimeSpan duration) =>
        _duration.Record(
            duration.TotalSeconds,
            new("messaging.system", "servicebus"),
            new("messaging.destination.name", QueueOf(message)),
            new("messaging.operation.name", "process")
        );

    public void Settled(Settlement settlement, ServiceBusReceivedMessage message)
    {
        _settled.Add(
            1,
            TagsOf(settlement, message, "drone_delivery.reason", (settlement as Settlement.DeadLetter)?.Reason)
        );
        var isDone = settlement is Settlement.Complete { IsDone: true } && message.DeadLetterReason is null;
        if (isDone && RequestMessage.FindAcceptedAt(message) is { } accepted)
            _age.Record(Math.Max(0, (time.GetUtcNow() - accepted).TotalSeconds)); // the clocks of machines differ
    }

    public string SettlementFailed(Settlement settlement, ServiceBusReceivedMessage message, Exception failure)
    {
        var error = failure is ServiceBusException broker ? $"{broker.Reason}" : failure.GetType().Name;
        _failed.Add(1, TagsOf(settlement, message, "error.type", error));
        return error;
    }

    private TagList TagsOf(Settlement settlement, ServiceBusReceivedMessage message, string why, string? value)
    {
        var tags = new TagList
        {
            { "drone_delivery.settlement", JsonNamingPolicy.SnakeCaseLower.ConvertName(settlement.GetType().Name) },
        };
        if (value is not null)
            tags.Add(why, value);
        tags.Add("messaging.destination.name", QueueOf(message));
        return tags;
    }

    private string QueueOf(ServiceBusReceivedMessage message) =>
        message.DeadLetterReason is null ? _queue : $"{_queue}/$deadletterqueue";
}
