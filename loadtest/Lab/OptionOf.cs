using System.CommandLine;
using System.Globalization;

namespace DroneDelivery.Lab;

internal static class OptionOf
{
    /// <summary>Creates an option for an integer. The error for another value lists the range.</summary>
    public static Option<int> WholeNumber(
        string name,
        int otherwise,
        int min,
        int max,
        string description,
        params string[] aliases
    ) =>
        new(name, aliases)
        {
            HelpName = "N",
            Description = description,
            DefaultValueFactory = _ => otherwise,
            CustomParser = result =>
            {
                if (int.TryParse(result.Tokens[0].Value, out var value) && value >= min && value <= max)
                {
                    return value;
                }

                result.AddError($"{name} {result.Tokens[0].Value}: expected a whole number from {min} to {max}.");
                return otherwise;
            },
        };

    /// <summary>Creates an option for a number, with or without <c>/s</c>.</summary>
    public static Option<double?> Number(string name, double min, double max, string description) =>
        new(name)
        {
            HelpName = "N",
            Description = description,
            CustomParser = result =>
            {
                var text = result.Tokens[0].Value;
                var number = text.Replace("/s", "", StringComparison.Ordinal);
                if (
                    double.TryParse(number, NumberStyles.Float, null, out var value)
                    && value > 0
                    && value >= min
                    && value <= max
                )
                {
                    return value;
                }
                result.AddError(
                    $"{name} {text}: expected a number {(min > 0 ? $"from {min} to" : "above 0, at most")} {NumberText.Of(max)}."
                );
                return null;
            },
        };

    public static Option<bool> Json(string what) => Flag("--json", what);

    public static Option<bool> Flag(string name, string description) => new(name) { Description = description };

    /// <param name="value">The placeholder in the help.</param>
    public static Option<string?> Text(string name, string value, string description) =>
        new(name) { HelpName = value, Description = description };

    public static Option<string> Text(string name, string value, string description, string otherwise) =>
        new(name)
        {
            HelpName = value,
            Description = description,
            DefaultValueFactory = _ => otherwise,
        };

    public static Option<string[]> Texts(string name, string value, string description) =>
        new(name)
        {
            HelpName = value,
            Description = description,
            DefaultValueFactory = _ => [],
        };

    /// <returns><c>null</c> if the text isn't an address, or has more than scheme, host and port.</returns>
    public static Uri? Address(string text) =>
        Uri.TryCreate(text.TrimEnd('/') + "/", UriKind.Absolute, out var address)
        && address is { Scheme: "http" or "https", UserInfo: "", Query: "" }
            ? address
            : null;

    public static Argument<string?> Optional(string name, string description, string? value = null) =>
        new(name)
        {
            Arity = ArgumentArity.ZeroOrOne,
            Description = description,
            HelpName = value,
        };

    public static Argument<string[]> Words(string name, string description, string? value = null) =>
        new(name)
        {
            Arity = ArgumentArity.ZeroOrMore,
            Description = description,
            HelpName = value,
        };
}
