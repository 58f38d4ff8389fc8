using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Configuration;

/// <summary>Reads the shared access rules of a configuration file. They replace the well-known rule.</summary>
internal static class RuleDeclarations
{
    // The limits of Service Bus.
    private const int MaxRules = 12,
        MaxNameLength = 256,
        MaxKeyLength = 256;

    public static IReadOnlyList<AccessRule> None { get; } = [AccessRule.WellKnown];

    /// <exception cref="FormatException">A rule is invalid. The message starts with the path of the
    /// property.</exception>
    public static IReadOnlyList<AccessRule> Read(IReadOnlyList<RuleDeclaration>? declared, string path)
    {
        if (declared is null)
            return None;
        Require(declared.Count is > 0 and <= MaxRules, path, $"must have 1 to {MaxRules} rules");
        var rules = new List<AccessRule>();
        foreach (var (index, rule) in declared.Index())
        {
            var at = $"{path}[{index}]";
            Require(
                IsText(rule?.Name, MaxNameLength, ":;"),
                $"{at}.Name",
                $"must have 1 to {MaxNameLength} characters other than : and ;"
            );
            Require(
                IsText(rule!.Key, MaxKeyLength, ";"),
                $"{at}.Key",
                $"must have 1 to {MaxKeyLength} characters other than ;"
            );
            Require(
                rules.All(other => other.Name != rule.Name),
                $"{at}.Name",
                $"'{Excerpt.Of(rule.Name!)}' is declared twice"
            );
            rules.Add(new AccessRule(rule.Name!, rule.Key!, Rights(rule.Rights ?? [], $"{at}.Rights")));
        }
        return rules;
    }

    /// <summary><c>true</c> if the text can be used in connection strings and in SASL PLAIN.</summary>
    private static bool IsText(string? text, int longest, string none) =>
        text is { Length: > 0 }
        && text.Length <= longest
        && !text.Any(c => char.IsControl(c) || none.Contains(c, StringComparison.Ordinal));

    private static AccessRights Rights(IReadOnlyList<string> names, string path)
    {
        Require(names.Count > 0, path, "must contain at least one of Listen, Send, Manage");
        return names.Aggregate(AccessRights.None, (rights, name) => rights | Right(name, path));
    }

    private static AccessRights Right(string name, string path) =>
        name switch
        {
            nameof(AccessRights.Listen) => AccessRights.Listen,
            nameof(AccessRights.Send) => AccessRights.Send,
            nameof(AccessRights.Manage) => AccessRights.All,
            _ => throw new FormatException(
                $"{path}: '{Excerpt.Of(name ?? "")}' is not a valid claim. Expected Listen, Send, or Manage."
            ),
        };

    private static void Require(bool holds, string path, string demand)
    {
        if (!holds)
            throw new FormatException($"{path}: {demand}.");
    }
}
