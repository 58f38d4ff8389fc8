namespace DroneDelivery.Telemetry.Query;

/// <summary><c>project-away PATTERN, …</c> and <c>project-keep PATTERN, …</c></summary>
/// <param name="Patterns">Names, with * for any characters.</param>
internal sealed record ChooseColumnsOperator(int At, bool Keep, IReadOnlyList<(int At, string Text)> Patterns)
    : Operator(At)
{
    public static ChooseColumnsOperator ParseAway(Parser parser, Token name) =>
        new(name.At, Keep: false, ParsePatterns(parser.Tokens));

    public static ChooseColumnsOperator ParseKeep(Parser parser, Token name) =>
        new(name.At, Keep: true, ParsePatterns(parser.Tokens));

    public override Plan Bind(Plan source, QueryBinder binder)
    {
        foreach (var (at, pattern) in Patterns)
        {
            if (!source.Columns.Any(column => Matches(pattern, column.Name)))
                throw binder.UnknownColumn(at, pattern, source);
        }
        var all = ColumnScalar.AllOf(source);
        var kept = Enumerable
            .Range(0, source.Columns.Count)
            .Where(i => Patterns.Any(pattern => Matches(pattern.Text, source.Columns[i].Name)) == Keep)
            .ToList();
        return new ProjectPlan(source, [.. kept.Select(i => source.Columns[i])], [.. kept.Select(i => all[i])]);
    }

    private static List<(int At, string Text)> ParsePatterns(TokenStream tokens) =>
        tokens.List(() => ParsePattern(tokens));

    // "operation_*" comes as a name and a star behind it.
    private static (int At, string Text) ParsePattern(TokenStream tokens)
    {
        var at = tokens.Current.At;
        var text = "";
        do
        {
            if (!tokens.Current.Is("*") && tokens.Current.Kind is not (TokenKind.Word or TokenKind.QuotedName))
                throw tokens.Unexpected("a column name");
            var adjacent = tokens.NextIsAdjacent;
            text += ReservedNames.Refuse(tokens.Take(), tokens).Text;
            if (!adjacent)
                break;
        } while (tokens.Current.Is("*") || tokens.Current.Kind == TokenKind.Word);
        return (at, text);
    }

    private static bool Matches(string pattern, string name)
    {
        var parts = pattern.Split('*');
        if (parts.Length == 1)
            return pattern == name;
        if (!name.StartsWith(parts[0], StringComparison.Ordinal))
            return false;
        var at = parts[0].Length;
        foreach (var part in parts.AsSpan(1..^1))
        {
            var found = name.IndexOf(part, at, StringComparison.Ordinal);
            if (found < 0)
                return false;
            at = found + part.Length;
        }
        return name.Length - at >= parts[^1].Length && name.EndsWith(parts[^1], StringComparison.Ordinal);
    }
}
