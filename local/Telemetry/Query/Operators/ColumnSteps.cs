using System.IO.Enumeration;

namespace DroneDelivery.Telemetry.Query;

internal static class ColumnSteps
{
    /// <summary><c>extend NAME = VALUE, …</c></summary>
    public static Step Extend(Parser parser, Token name)
    {
        var columns = parser.ParseColumns();
        return (source, binder) => Extend(source, columns, binder);
    }

    /// <summary><c>project NAME = VALUE, …</c></summary>
    public static Step Project(Parser parser, Token name)
    {
        var columns = parser.ParseColumns();
        return (source, binder) => Project(source, columns, binder);
    }

    /// <summary><c>project-away PATTERN, …</c></summary>
    public static Step ProjectAway(Parser parser, Token name) => Choose(parser, keep: false);

    /// <summary><c>project-keep PATTERN, …</c></summary>
    public static Step ProjectKeep(Parser parser, Token name) => Choose(parser, keep: true);

    /// <summary><c>project-rename NEW = OLD, …</c></summary>
    public static Step Rename(Parser parser, Token name)
    {
        var columns = parser.ParseColumns();
        return (source, binder) => Rename(source, columns, binder);
    }

    public static ProjectPlan Project(Plan source, List<Named> columns, QueryBinder binder)
    {
        var names = new ColumnNames(binder.Text);
        var values = columns.ConvertAll(column => binder.Expressions(source.Columns).Bind(column.Value));
        for (var i = 0; i < values.Count; i++)
            names.Add(columns[i], values[i].Type);
        return new(source, names.Columns, values);
    }

    private static ProjectPlan Extend(Plan source, List<Named> added, QueryBinder binder)
    {
        var columns = source.Columns.ToList();
        var values = ColumnScalar.AllOf(source);
        var names = new ColumnNames(binder.Text);
        foreach (var column in source.Columns)
            names.AddDerived(column.Name, column.Type);
        foreach (var column in added)
        {
            var value = binder.Expressions(source.Columns).Bind(column.Value);
            var existing = column.Name is null ? -1 : columns.FindIndex(each => each.Name == column.Name);
            if (existing >= 0)
            {
                columns[existing] = new(column.Name!, value.Type);
                values[existing] = value;
                continue;
            }
            names.Add(column, value.Type);
            columns.Add(names.Columns[^1]);
            values.Add(value);
        }
        return new(source, columns, values);
    }

    private static ProjectPlan Rename(Plan source, List<Named> renamed, QueryBinder binder)
    {
        var columns = source.Columns.ToList();
        foreach (var column in renamed)
        {
            if (column is not { Name: { } name, Value: Name old })
                throw binder.Error(column.At, "project-rename requires new = old.", "Both are names of columns.");
            var index = columns.FindIndex(each => each.Name == old.Text);
            if (index < 0)
                throw binder.UnknownColumn(old.At, old.Text, source);
            if (columns.Exists(each => each.Name == name))
                throw binder.Error(column.At, $"the column '{name}' already exists.", "Use another name.");
            columns[index] = columns[index] with { Name = name };
        }
        return new(source, columns, ColumnScalar.AllOf(source));
    }

    private static Step Choose(Parser parser, bool keep)
    {
        var patterns = parser.ListOf(() => ColumnPattern.Parse(parser));
        return (source, binder) =>
        {
            foreach (var pattern in patterns)
            {
                if (!source.Columns.Any(column => pattern.Matches(column.Name)))
                    throw binder.UnknownColumn(pattern.At, pattern.Text, source);
            }
            var chosen = source
                .Columns.Zip(ColumnScalar.AllOf(source))
                .Where(column => patterns.Exists(pattern => pattern.Matches(column.First.Name)) == keep)
                .ToList();
            return new ProjectPlan(
                source,
                chosen.ConvertAll(column => column.First),
                chosen.ConvertAll(column => column.Second)
            );
        };
    }

    /// <summary>A name with * as a wildcard.</summary>
    private sealed record ColumnPattern(int At, string Text)
    {
        // "operation_*" consists of a name and an adjacent star.
        public static ColumnPattern Parse(Parser parser)
        {
            var at = parser.Current.At;
            var text = "";
            do
            {
                if (!parser.Current.Is("*") && parser.Current.Kind is not (TokenKind.Word or TokenKind.QuotedName))
                    throw parser.Unexpected("a column name");
                var adjacent = parser.NextIsAdjacent;
                text += ReservedNames.Refuse(parser.Take(), parser).Text;
                if (!adjacent)
                    break;
            } while (parser.Current.Is("*") || parser.Current.Kind == TokenKind.Word);
            return new(at, text);
        }

        public bool Matches(string name) => FileSystemName.MatchesSimpleExpression(Text, name, ignoreCase: false);
    }
}
