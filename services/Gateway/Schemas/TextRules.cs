using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace DroneDelivery.Gateway.Schemas;

/// <summary>Even without a rule a text has to be Unicode.</summary>
internal sealed class TextRules
{
    private const int OnStack = 256;

    private readonly byte[][] _names = [];

    public static TextRules None { get; } = new();

    public int Least { get; init; }

    /// <summary>Counted as the services count, in UTF-16 units. JSON Schema would count an emoji once.</summary>
    public int Most { get; init; } = int.MaxValue;

    public Regex? Pattern { get; init; }

    /// <summary>The texts that are allowed; null: all.</summary>
    public string[]? Names
    {
        get;
        init
        {
            field = value;
            _names = value?.Select(Encoding.UTF8.GetBytes).ToArray() ?? [];
        }
    }

    public bool IsTime { get; init; }

    public DateTimeOffset? Earliest { get; init; }

    public DateTimeOffset? Latest { get; init; }

    public Mistake? Check(ref Utf8JsonReader reader)
    {
        if (Names is not null)
            return IsNamed(ref reader) ? null : Mistake.Of($"Must be one of {string.Join(", ", Names)}.");
        if (IsTime && CheckTime(ref reader) is { } mistake)
            return mistake;

        var most = reader.HasValueSequence ? checked((int)reader.ValueSequence.Length) : reader.ValueSpan.Length;
        var rented = most > OnStack ? ArrayPool<char>.Shared.Rent(most) : null;
        try
        {
            var text = rented is null ? stackalloc char[OnStack] : rented;
            return CheckText(text[..reader.CopyString(text)]); // throws where it is not Unicode
        }
        finally
        {
            if (rented is not null)
                ArrayPool<char>.Shared.Return(rented);
        }
    }

    private bool IsNamed(ref Utf8JsonReader reader)
    {
        foreach (var name in _names)
        {
            if (reader.ValueTextEquals(name))
                return true;
        }
        return false;
    }

    private Mistake? CheckTime(ref Utf8JsonReader reader) =>
        !reader.TryGetDateTimeOffset(out var time) ? Mistake.Of("Must be a date and time such as 2030-01-31T12:00:00Z.")
        : time < Earliest || time > Latest ? Mistake.Of($"Must be from {Show(Earliest)} to {Show(Latest)}.")
        : null;

    private Mistake? CheckText(ReadOnlySpan<char> text) =>
        text.Length < Least || text.Length > Most ? Mistake.Of($"Must have {Least} to {Most} characters.")
        : Pattern is not null && !Pattern.IsMatch(text) ? Mistake.Of($"Must match {Pattern}.")
        : null;

    private static string Show(DateTimeOffset? time) => time is { } bound ? bound.ToString("O", CultureInfo.InvariantCulture) : "any time";
}
