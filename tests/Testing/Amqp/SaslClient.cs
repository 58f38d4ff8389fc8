using System.Text;
using DroneDelivery.Amqp;

namespace DroneDelivery.Testing.Amqp;

/// <summary>The authentication of a client: a mechanism with its only response (AMQP 1.0 §5.3).</summary>
public sealed record SaslClient(Symbol Mechanism, byte[]? InitialResponse)
{
    public static SaslClient Anonymous { get; } = new("ANONYMOUS", []);

    /// <summary>The mechanism of Service Bus: claims on the <c>$cbs</c> node determine the permissions later.</summary>
    public static SaslClient ClaimsBased { get; } = new("MSSBCBS", []);

    public static SaslClient Plain(string user, string password) =>
        new("PLAIN", Encoding.UTF8.GetBytes($"\0{user}\0{password}"));
}
