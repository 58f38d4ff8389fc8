namespace DroneDelivery.Lab;

internal enum Tone
{
    Plain,
    Quiet,
    Strong,
    Good,
    Odd,
    Bad,
}

/// <param name="Note">A note below the text on web pages only.</param>
internal readonly record struct Cell(string Text, Tone Tone = Tone.Plain, string Note = "")
{
    public static implicit operator Cell(string? text) => new(text ?? "");

    /// <summary>Creates a cell for a value with its unit; empty for <c>null</c>.</summary>
    public static Cell Of(double? value, string unit = "", Tone tone = Tone.Plain) =>
        new(value is { } number ? NumberText.Of(number) + (double.IsFinite(number) ? unit : "") : "", tone);
}

/// <param name="Head">A trailing <c>#</c> marks a numeric column.</param>
internal sealed record Table(string Title, IReadOnlyList<string> Head, IReadOnlyList<Cell[]> Rows)
{
    public static Table Of<T>(string title, IReadOnlyList<string> head, IEnumerable<T> items, Func<T, Cell[]> row) =>
        new(title, head, [.. items.Select(row)]);

    public bool IsOfNumbers(int column) => Head[column].EndsWith('#');

    public string HeadOf(int column) => Head[column].TrimEnd('#');
}
