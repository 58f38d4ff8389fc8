using System.Text;
using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Access;

/// <summary>SASL PLAIN with a rule's name and key, for AMQP clients that know no tokens.</summary>
internal static class PlainLogin
{
    /// <summary>A client without a password is let in: it will put tokens to <c>$cbs</c>.</summary>
    /// <param name="rules">Of the broker.</param>
    /// <param name="init">The client's.</param>
    /// <param name="grant">What the client may do from now on; null: nothing.</param>
    /// <returns>Whether the client may connect.</returns>
    public static bool TryAdmit(AccessRules rules, SaslInit init, out Grant? grant)
    {
        grant = null;
        if (!rules.AreRequired || init.Mechanism != "PLAIN")
            return true;
        // RFC 4616: authorization identity, name and password, with a NUL between them.
        if (Encoding.UTF8.GetString(init.InitialResponse ?? []).Split('\0') is not [_, var name, var key])
            return false;
        grant = rules.Check(name, key);
        return grant is not null || key.Length == 0;
    }
}
