using System.Security.Cryptography;
using System.Text;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Access;

/// <summary>Checks keys and tokens against the rules of the broker.</summary>
internal sealed class AccessRules(IReadOnlyList<AccessRule> rules, bool areRequired, TimeProvider time)
{
    /// <summary>The tolerance for clock differences, added to a token's expiry.</summary>
    public static readonly TimeSpan Skew = TimeSpan.FromSeconds(30);

    public TimeProvider Time => time;

    /// <summary><c>true</c> if clients need a token or key; <c>false</c> if every client has full access.</summary>
    public bool AreRequired => areRequired;

    /// <summary>The rule for the connection string: the first of those with the most permissions.</summary>
    public AccessRule Default { get; } = rules.MaxBy(rule => rule.Rights)!;

    public Func<string, IEnumerable<EntityKeys>> OfEntity { get; set; } = _ => [];

    public bool HasWellKnownKey => rules.Any(rule => rule.IsWellKnown);

    public bool WellKnownKeyGrants(AccessRights right) =>
        Check(AccessRule.WellKnown.Name, AccessRule.WellKnown.Key)?.Covers("", right) == true;

    /// <param name="why">The reason for the rejection, as a message for the client; <c>null</c> if the token is
    /// valid.</param>
    public Grant? Check(string text, out string? why)
    {
        if (SasToken.TryParse(text) is not { } token)
        {
            why =
                "The token is malformed. Expected: SharedAccessSignature sr=RESOURCE&sig=SIGNATURE&se=EXPIRY&skn=RULE.";
            return null;
        }

        List<AccessRule> named =
        [
            .. rules.Concat(OfEntity(token.Path).SelectMany(AccessRule.Of)).Where(rule => rule.Name == token.Rule),
        ];
        var rule = named.FirstOrDefault(rule => token.IsSignedWith(rule.Key));
        var end = EndOf(token);
        why =
            named.Count == 0 ? $"The rule '{Excerpt.Of(token.Rule)}' does not exist."
            : rule is null ? "The token has an invalid signature."
            : end <= time.GetUtcNow() ? $"The token expired at {token.ExpiresAt:u}."
            : null;
        return why is null ? new Grant(token.Path, rule!.Rights, end) : null;
    }

    /// <summary>Checks a key that a client sends directly, with SASL PLAIN or HTTP Basic.</summary>
    /// <returns><c>null</c> if the rule doesn't exist or has another key.</returns>
    public Grant? Check(string name, string key) =>
        rules.FirstOrDefault(rule => rule.Name == name) is { } rule
        && CryptographicOperations.FixedTimeEquals(SHA256.HashData(Bytes(rule.Key)), SHA256.HashData(Bytes(key)))
            ? new Grant("", rule.Rights, DateTimeOffset.MaxValue)
            : null;

    /// <summary>Authenticates an AMQP client. A SASL PLAIN client without a password may connect; it must put tokens to
    /// <c>$cbs</c>.</summary>
    /// <param name="grant">The client's access; <c>null</c> if it must put a token first.</param>
    public bool TryAdmit(SaslInit init, out Grant? grant)
    {
        grant = null;
        if (!AreRequired || init.Mechanism != "PLAIN")
            return true;
        // RFC 4616: authorization identity, name, and password, separated by NUL.
        if (Encoding.UTF8.GetString(init.InitialResponse ?? []).Split('\0') is not [_, var name, var key])
            return false;
        grant = Check(name, key);
        return grant is not null || key.Length == 0;
    }

    private static DateTimeOffset EndOf(SasToken token) =>
        token.ExpiresAt < DateTimeOffset.MaxValue - Skew ? token.ExpiresAt + Skew : DateTimeOffset.MaxValue;

    private static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);
}
