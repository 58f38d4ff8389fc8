using Spectre.Console;

namespace DroneDelivery.Lab;

internal static class TableText
{
    public static void Write(this IAnsiConsole output, Table table) => Write(output, table, TableBorder.Rounded);

    /// <summary>Writes a table without borders, for other programs.</summary>
    public static void WriteList(this IAnsiConsole output, Table table) => Write(output, table, TableBorder.Simple);

    private static void Write(IAnsiConsole output, Table table, TableBorder border)
    {
        var screen = new Spectre.Console.Table().Border(border);
        if (table.Title.Length > 0)
            screen.Title(Markup.Escape(table.Title));
        for (var column = 0; column < table.Head.Count; column++)
        {
            screen.AddColumn(
                new TableColumn(Markup.Escape(table.HeadOf(column)))
                {
                    Alignment = table.IsOfNumbers(column) ? Justify.Right : Justify.Left,
                }
            );
        }

        foreach (var row in table.Rows)
            screen.AddRow([.. row.Select(Colored)]);
        output.Write((Spectre.Console.Rendering.IRenderable)screen);
    }

    private static string Colored(Cell cell) =>
        (cell.Tone, Markup.Escape(cell.Text)) switch
        {
            (Tone.Good, var text) => $"[green]{text}[/]",
            (Tone.Odd, var text) => $"[yellow]{text}[/]",
            (Tone.Bad, var text) => $"[red]{text}[/]",
            (_, var text) => text,
        };
}
