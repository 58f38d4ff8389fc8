using System.Diagnostics.Metrics;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Workflow.Receiving;

namespace DroneDelivery.Workflow.Watching;

/// <summary>Meter <c>DroneDelivery.Workflow</c>.</summary>
internal sealed class SettlementMetrics : IMessageObserver
{
    public const string MeterName = "DroneDelivery.Workflow";

    /// <summary>Messages settled. Tag <c>settlement</c>: Complete, Abandon, Postpone, DeadLetter.</summary>
    public const string SettledName = "workflow.settled";

    /// <summary>Settlements that the broker refused or did not answer. Tags <c>settlement</c> and <c>reason</c>
    /// (MessageLockLost, …).</summary>
    public const string FailedName = "workflow.settlements.failed";

    private readonly Counter<long> _settled;
    private readonly Counter<long> _failed;

    public SettlementMetrics(IMeterFactory meters)
    {
        var meter = meters.Create(MeterName);
        _settled = meter.CreateCounter<long>(SettledName);
        _failed = meter.CreateCounter<long>(FailedName);
    }

    public void Settled(Settlement settlement) => _settled.Add(1, Tag(settlement));

    public void SettlementFailed(Settlement settlement, Exception failure) =>
        _failed.Add(
            1,
            Tag(settlement),
            new("reason", failure is ServiceBusException broker ? broker.Reason.ToString() : failure.GetType().Name));

    private static KeyValuePair<string, object?> Tag(Settlement settlement) => new("settlement", settlement.GetType().Name);
}
