using System.Text.RegularExpressions;

namespace DroneDelivery.Lab.Stages;

/// <summary>The description of a stage with predicted metrics.</summary>
internal static partial class Expectation
{
    /// <returns><c>null</c> if the stage has no description, or a metric has no prediction.</returns>
    public static string? Of(Stage stage, Func<string, double?> predicted)
    {
        if (stage.Expect is not { } sentences || Figures(sentences).Any(figure => predicted(figure) is null))
            return null;
        return Told(sentences, predicted);
    }

    /// <summary>Replaces the metrics in braces with their values.</summary>
    public static string Told(string sentences, Func<string, double?> valueOf) =>
        Placeholder().Replace(sentences, match => Show(match.Groups[1].Value, valueOf(match.Groups[1].Value)));

    /// <summary>Returns the metrics in braces.</summary>
    public static IEnumerable<string> Figures(string sentences) =>
        Placeholder().Matches(sentences).Select(match => match.Groups[1].Value);

    private static string Show(string name, double? known)
    {
        if (known is not { } value)
            return "(not available)";
        var figure = FigureTable.Find(name);
        return NumberText.Of(figure.IsCount ? Math.Round(value) : value)
            + figure.Unit switch
            {
                "s" => " s",
                "ms" => " ms",
                var unit => unit,
            };
    }

    [GeneratedRegex(@"\{([^}]*)\}")]
    private static partial Regex Placeholder();
}
