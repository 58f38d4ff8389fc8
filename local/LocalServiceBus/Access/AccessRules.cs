using System.Security.Cryptography;
using System.Text;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Access;

/// <summary>The keys of a broker, and whether somebody has one of them.</summary>
internal sealed class AccessRules(IReadOnlyList<AccessRule> rules, bool areRequired, TimeProvider time)
{
    /// <summary>So long a token is good after its expiry, because clocks differ.</summary>
    public static readonly TimeSpan Skew = TimeSpan.FromSeconds(30);

    /// <summary>By which tokens expire.</summary>
    public TimeProvider Time => time;

    /// <summary>False: everybody may do everything.</summary>
    public bool AreRequired => areRequired;

    /// <summary>What a new user of the broker gets: the first that may do most.</summary>
    public AccessRule Default { get; } = rules.MaxBy(rule => rule.Rights)!;

    /// <summary>The keys of the queue or topic that a path leads to.</summary>
    public Func<string, IEnumerable<EntityKeys>> OfEntity { get; set; } = _ => [];

    /// <summary>Whether a key is the one that everybody knows.</summary>
    public bool HasWellKnownKey => rules.Any(rule => rule.IsWellKnown);

    /// <summary>Whether the key that everybody knows is good for that.</summary>
    public bool EverybodyMay(AccessRights right) =>
        Check(AccessRule.WellKnown.Name, AccessRule.WellKnown.Key)?.Covers("", right) == true;

    /// <param name="why">Why it is not good, for the one who sent it.</param>
    /// <returns>Null: it is not good.</returns>
    public Grant? Check(string text, out string? why)
    {
        if (SasToken.TryParse(text) is not { } token)
        {
            why =
                "The token is malformed: it has the form SharedAccessSignature sr=RESOURCE&sig=SIGNATURE&se=EXPIRY&skn=RULE.";
            return null;
        }

        List<AccessRule> named =
        [
            .. rules.Concat(OfEntity(token.Path).SelectMany(AccessRule.Of)).Where(rule => rule.Name == token.Rule),
        ];
        var rule = named.FirstOrDefault(rule => token.IsSignedWith(rule.Key));
        var end = EndOf(token);
        why =
            named.Count == 0 ? $"There is no rule '{Excerpt.Of(token.Rule)}'."
            : rule is null ? "The token has an invalid signature."
            : end <= time.GetUtcNow() ? $"The token expired at {token.ExpiresAt:u}."
            : null;
        return why is null ? new Grant(token.Path, rule!.Rights, end) : null;
    }

    /// <summary>The key itself, as clients without tokens send it: SASL PLAIN, or HTTP Basic.</summary>
    /// <returns>Null: there is no such rule, or it has another key.</returns>
    public Grant? Check(string name, string key) =>
        rules.FirstOrDefault(rule => rule.Name == name) is { } rule
        && CryptographicOperations.FixedTimeEquals(SHA256.HashData(Bytes(rule.Key)), SHA256.HashData(Bytes(key)))
            ? new Grant("", rule.Rights, DateTimeOffset.MaxValue)
            : null;

    /// <summary>SASL PLAIN with a rule's name and key, for AMQP clients that know no tokens. One without a password is let in: it will put
    /// tokens to <c>$cbs</c>.</summary>
    /// <param name="grant">What the client may do from now on; null: nothing.</param>
    /// <returns>Whether the client may connect.</returns>
    public bool TryAdmit(SaslInit init, out Grant? grant)
    {
        grant = null;
        if (!AreRequired || init.Mechanism != "PLAIN")
            return true;
        // RFC 4616: authorization identity, name and password, with a NUL between them.
        if (Encoding.UTF8.GetString(init.InitialResponse ?? []).Split('\0') is not [_, var name, var key])
            return false;
        grant = Check(name, key);
        return grant is not null || key.Length == 0;
    }

    private static DateTimeOffset EndOf(SasToken token) =>
        token.ExpiresAt < DateTimeOffset.MaxValue - Skew ? token.ExpiresAt + Skew : DateTimeOffset.MaxValue;

    private static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);
}
