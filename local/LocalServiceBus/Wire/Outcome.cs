using System.Diagnostics;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>How the outcomes of AMQP and the settlements of Service Bus translate.</summary>
internal static class Outcome
{
    /// <summary>Null: not an outcome, nothing to do yet.</summary>
    public static Settlement? ToSettlement(DeliveryState? state) =>
        state switch
        {
            Accepted => Settlement.Complete,
            Released => Settlement.Release,
            // The SDK leaves delivery-failed unset when it abandons; the delivery counts all the same.
            Modified { UndeliverableHere: true } modified => new Settlement.Deferred(
                Properties(modified.MessageAnnotations)
            ),
            Modified modified => new Settlement.Abandoned(Properties(modified.MessageAnnotations)),
            Rejected { Error: null } => new Settlement.DeadLettered(),
            Rejected { Error: { } error } => DeadLetter(error),
            null or Received or Declared or TransactionalState => null,
            _ => throw new UnreachableException($"A delivery state {state}."),
        };

    /// <summary>The answer to a client whose outcome is done: the same again. A rejection is echoed bare, since with an error in it the
    /// SDK would take it for a failure.</summary>
    public static DeliveryState Echo(DeliveryState outcome) =>
        outcome switch
        {
            Accepted or Released => outcome,
            Rejected => Rejected.Bare,
            Modified modified => modified with { MessageAnnotations = null },
            _ => throw new UnreachableException($"An outcome {outcome}."),
        };

    private static Settlement.DeadLettered DeadLetter(AmqpError error)
    {
        // Any other condition comes from a client that rejects in plain AMQP: what it said is the reason.
        if (error.Condition != ServiceBusErrors.DeadLetter)
            return new(error.Condition.Value, error.Description, Properties(error.Info));
        var properties = Properties(error.Info) ?? [];
        properties.Remove(DeadLetterReason.Property, out var reason);
        properties.Remove(DeadLetterReason.DescriptionProperty, out var description);
        return new(reason as string, description as string ?? error.Description, properties);
    }

    private static Dictionary<string, object?>? Properties(Dictionary<Symbol, object?>? map) =>
        map?.ToDictionary(entry => entry.Key.Value, entry => DescribedProperty.FromAmqp(entry.Value));
}
