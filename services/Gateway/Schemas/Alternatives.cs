using System.Text.Json;

namespace DroneDelivery.Gateway.Schemas;

/// <summary><c>anyOf</c>, or <c>oneOf</c> where exactly one may match.</summary>
internal sealed record Alternatives(IReadOnlyList<Schema> Schemas, bool OnlyOne)
{
    /// <param name="start">A copy: each alternative reads the value from its beginning.</param>
    public Mistake? Check(Utf8JsonReader start)
    {
        var mistakes = new List<Mistake>();
        foreach (var schema in Schemas)
        {
            var reader = start;
            if (schema.Check(ref reader) is { } mistake)
                mistakes.Add(mistake);
        }

        var matches = Schemas.Count - mistakes.Count;
        if (matches == 0)
            return Nearest(mistakes);
        return matches > 1 && OnlyOne ? Mistake.Of("More than one form matches.") : null;
    }

    // A value that may be null is not told that it could have been null.
    private Mistake Nearest(List<Mistake> mistakes)
    {
        var likely = mistakes.Where((_, i) => Schemas[i].Types != JsonTypes.Null).ToList();
        return likely.Count == 1
            ? likely[0]
            : Mistake.Of($"One of these has to be mended. {string.Join(" ", likely.Select(one => $"{one.Field}: {one.Message}"))}");
    }
}
