using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Globalization;
using System.Text.Json;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.Messaging;
using DroneDelivery.ServiceDefaults.Metrics;
using DroneDelivery.Workflow.Receiving;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Watching;

/// <summary>Meter <c>DroneDelivery.Workflow</c>. docs/metrics.md says what each instrument answers.</summary>
internal sealed class MessageMetrics : IMessageObserver
{
    public const string MeterName = "DroneDelivery.Workflow";

    public const string HandledName = "messaging.client.consumed.messages";

    public const string DurationName = "messaging.process.duration";

    /// <summary>Tag <c>drone_delivery.settlement</c>: complete, abandon, postpone, dead_letter; of the last also
    /// <c>drone_delivery.reason</c>.</summary>
    public const string SettledName = "drone_delivery.messages.settled";

    /// <summary>Settlements that the broker refused or did not answer. Tags <c>drone_delivery.settlement</c> and <c>error.type</c>
    /// (MessageLockLost, …).</summary>
    public const string FailedName = "drone_delivery.settlements.failed";

    /// <summary>From Ingestion's acceptance to the message's Complete.</summary>
    public const string AgeName = "drone_delivery.request.age";

    private const string SettlementTag = "drone_delivery.settlement";

    private readonly TimeProvider _time;
    private readonly TagList _process;
    private readonly Counter<long> _handled, _settled, _failed;
    private readonly Histogram<double> _duration, _age;

    public MessageMetrics(IMeterFactory meters, IOptions<ServiceBusOptions> queue, TimeProvider time)
    {
        _time = time;
        _process = new()
        {
            { "messaging.system", "servicebus" },
            { "messaging.destination.name", queue.Value.QueueName },
            { "messaging.operation.name", "process" },
        };
        var meter = meters.Create(MeterName);
        _handled = meter.CreateCounter<long>(HandledName, "{message}", "Messages that a handler began with.");
        _duration = meter.CreateDuration(DurationName, "How long a handler was busy with a message, settlement included.");
        _settled = meter.CreateCounter<long>(SettledName, "{message}", "Messages settled.");
        _failed = meter.CreateCounter<long>(FailedName, "{settlement}", "Settlements that the broker refused or did not answer.");
        _age = meter.CreateDuration(
            AgeName,
            "Age of a request when its message is completed.",
            0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14400, 86400);
    }

    public void Began(TimeSpan lockLeft) => _handled.Add(1, _process);

    public void Ended(TimeSpan took) => _duration.Record(took.TotalSeconds, _process);

    public void Settled(Settlement settlement, ServiceBusReceivedMessage message)
    {
        if (_settled.Enabled)
        {
            var tags = new TagList { { SettlementTag, NameOf(settlement) } };
            if (settlement is Settlement.DeadLetter deadLetter)
                tags.Add("drone_delivery.reason", deadLetter.Reason);
            _settled.Add(1, tags);
        }
        if (_age.Enabled && settlement is Settlement.Complete && AcceptedAt(message) is { } accepted)
            _age.Record(Math.Max(0, (_time.GetUtcNow() - accepted).TotalSeconds)); // clocks of two machines
    }

    public void SettlementFailed(Settlement settlement, Exception failure) =>
        _failed.Add(
            1,
            new(SettlementTag, NameOf(settlement)),
            new("error.type", failure is ServiceBusException broker ? broker.Reason.ToString() : failure.GetType().Name));

    private static string NameOf(Settlement settlement) => JsonNamingPolicy.SnakeCaseLower.ConvertName(settlement.GetType().Name);

    private static DateTimeOffset? AcceptedAt(ServiceBusReceivedMessage message) =>
        message.ApplicationProperties.GetValueOrDefault(QueueMessage.AcceptedProperty) is string text
        && DateTimeOffset.TryParseExact(text, "O", CultureInfo.InvariantCulture, DateTimeStyles.RoundtripKind, out var accepted)
            ? accepted
            : null;
}
