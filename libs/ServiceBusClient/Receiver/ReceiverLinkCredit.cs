using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

internal static class ReceiverLinkCredit
{
    /// <summary>Grants more. A message that arrives between the two steps makes the sum one too high.</summary>
    public static void AddCredit(this ReceiverLink link, uint credit) => link.SetCredit(link.Credit + credit);
}
