using System.Text.Json;

namespace DroneDelivery.Gateway.Schemas;

internal sealed class ArrayRules
{
    public static ArrayRules None { get; } = new();

    /// <summary>Of each element.</summary>
    public Schema Element { get; init; } = new();

    public int Least { get; init; }

    public int Most { get; init; } = int.MaxValue;

    public Mistake? Check(ref Utf8JsonReader reader)
    {
        var count = 0;
        while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
        {
            if (Element.Check(ref reader) is { } mistake)
                return mistake.At(count);
            count++;
        }

        return count < Least || count > Most ? Mistake.Of($"Must have {Least} to {Most} elements.") : null;
    }
}
