using System.Text.RegularExpressions;

namespace DroneDelivery.Lab.Stages;

/// <summary>What happens in a stage, in sentences with predicted figures: the same for the workshop and the report.</summary>
internal static partial class Expectation
{
    /// <param name="predicted">Figure → its prediction, if there is one.</param>
    /// <returns>Null: the stage's file says nothing, or the model predicts a figure of it at other lengths only.</returns>
    public static string? Of(Stage stage, Func<string, double?> predicted)
    {
        if (stage.Expect is not { } sentences || Figures(sentences).Any(figure => predicted(figure) is null))
            return null;
        return Told(sentences, predicted);
    }

    /// <summary>Sentences with values in place of the figures in braces.</summary>
    public static string Told(string sentences, Func<string, double?> valueOf) =>
        Placeholder().Replace(sentences, match => Show(match.Groups[1].Value, valueOf(match.Groups[1].Value)));

    /// <summary>The figures that it speaks of.</summary>
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
