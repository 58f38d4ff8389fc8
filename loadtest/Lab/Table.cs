namespace DroneDelivery.Lab;

/// <summary>How a cell is shown, where the writer can.</summary>
internal enum Tone
{
    Plain,
    Quiet,
    Strong,
    Good,
    Odd,
    Bad,
}

/// <summary>A cell of a table. Any text is one.</summary>
/// <param name="Note">Stands below it on a page; a terminal has no room for it.</param>
internal readonly record struct Cell(string Text, Tone Tone = Tone.Plain, string Note = "")
{
    public static implicit operator Cell(string? text) => new(text ?? "");

    /// <summary>A value with its unit; empty where there is none.</summary>
    public static Cell Of(double? value, string unit = "", Tone tone = Tone.Plain) =>
        new(value is { } number ? NumberText.Of(number) + (double.IsFinite(number) ? unit : "") : "", tone);
}

/// <summary>Rows that a terminal, a page of HTML and a page of Markdown show alike.</summary>
/// <param name="Head">A head that ends in <c>#</c> is of a column of numbers.</param>
internal sealed record Table(string Title, IReadOnlyList<string> Head, IReadOnlyList<Cell[]> Rows)
{
    public static Table Of<T>(string title, IReadOnlyList<string> head, IEnumerable<T> items, Func<T, Cell[]> row) =>
        new(title, head, [.. items.Select(row)]);

    public bool IsOfNumbers(int column) => Head[column].EndsWith('#');

    public string HeadOf(int column) => Head[column].TrimEnd('#');
}
