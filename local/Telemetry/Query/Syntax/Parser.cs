namespace DroneDelivery.Telemetry.Query;

/// <summary>Parses statements and pipelines. Operators parse themselves with these methods.</summary>
internal sealed class Parser(QueryText query) : ExpressionParser(query)
{
    private const int MaxOperators = 200;

    public static Script Parse(QueryText text)
    {
        try
        {
            return new Parser(text).ParseScript(text);
        }
        catch (InsufficientExecutionStackException)
        {
            throw text.Error(0, "the query is nested too deeply.", "Split it with let statements.");
        }
    }

    public List<Named> ParseColumns() => ListOf(ParseNamed);

    public Expression ParseTable(string what) =>
        Current.Is("(") ? ParseExpression() : new Name(Current.At, ExpectName(what).Text);

    public Token? ParseOption(string name)
    {
        if (!Current.Is(name) || !Next.Is("="))
            return null;
        Take();
        Take();
        return ExpectWord($"a word after '{name}='");
    }

    private Script ParseScript(QueryText text)
    {
        var lets = new List<Let>();
        while (Current.Is("let"))
            lets.Add(ParseLet());
        if (Current.Kind == TokenKind.End)
        {
            throw Unexpected(
                "a query",
                lets.Count > 0
                    ? "The let statements are not used: add a query after the last ';'."
                    : "For example: requests | take 10."
            );
        }
        var pipeline = ParsePipeline();
        Accept(";");
        if (Current.Kind != TokenKind.End)
            throw AfterQuery();
        return new(text, lets, pipeline);
    }

    private KqlException AfterQuery() =>
        Unexpected(
            "'|' or the end of the query",
            Current switch
            {
                { Kind: TokenKind.Word } word when OperatorTable.Steps.Contains(word.Text) =>
                    $"Put a pipe before it: | {word.Text}.",
                { Text: ")" } => "It has no matching '('.",
                _ => "Steps are separated by '|', statements by ';'.",
            }
        );

    private Let ParseLet()
    {
        Take();
        var name = ExpectName("a name after 'let'");
        Expect("=", $"after 'let {name.Text}'");
        if (Current.Is("(") && Next.Is(")"))
        {
            throw Error(Current.At, "function declarations are not supported.", "Use let for values and for queries.");
        }
        var value = ParseValueOrQuery();
        Expect(";", "at the end of the let statement");
        return new(name.At, name.Text, value);
    }

    protected override Expression ParseValueOrQuery()
    {
        var at = Current.At;
        if (StartsSource())
            return new Tabular(at, ParsePipeline());
        var value = ParseExpression();
        return Current.Is("|") ? new Tabular(at, new(SourceFrom(value), ParseSteps())) : value;
    }

    // "print" and "union" can also be column names, depending on the next token.
    private bool StartsSource() =>
        Current.Kind == TokenKind.Word
        && OperatorTable.Sources.Contains(Current.Text)
        && Next is { Kind: TokenKind.Word or TokenKind.QuotedName or TokenKind.Literal } or { Text: "(" };

    private Pipeline ParsePipeline() => new(ParseSource(), ParseSteps());

    private Source ParseSource()
    {
        if (Current.Kind == TokenKind.Word && OperatorTable.Find(Current.Text)?.ParseSource is { } parse)
        {
            return parse(this, Take());
        }

        if (Next.Is("="))
        {
            throw Error(
                Next.At,
                "'|' or the end of the query was expected, not '='.",
                "Define a name with let NAME = …; before the query."
            );
        }
        return SourceFrom(ParseExpression());
    }

    private Source SourceFrom(Expression value) =>
        value switch
        {
            Name name => binder => binder.FindTable(name.At, name.Text),
            Tabular tabular => binder => binder.Bind(tabular.Pipeline),
            Call call => throw Error(
                call.At,
                $"'{call.Function}(…)' is not a table.",
                "Begin with the name of a table."
            ),
            _ => throw Error(value.At, "a table was expected here.", "Begin with the name of a table."),
        };

    private List<Step> ParseSteps()
    {
        var steps = new List<Step>();
        while (Accept("|"))
        {
            if (steps.Count == MaxOperators)
            {
                throw Error(
                    Current.At,
                    $"a query can have at most {MaxOperators} steps.",
                    "Split it with let statements."
                );
            }
            steps.Add(ParseStep());
        }
        return steps;
    }

    private Step ParseStep()
    {
        var name = ParseOperatorName();
        return OperatorTable.Find(name.Text)?.ParseStep is { } parse ? parse(this, name) : throw UnknownOperator(name);
    }

    // "project-away" consists of words and hyphens.
    private Token ParseOperatorName()
    {
        var name = ExpectWord("an operator after '|'", "For example: | where success == false.");
        while (Current.Is("-") && Next.Kind == TokenKind.Word && NextIsAdjacent && OperatorTable.IsFirstPart(name.Text))
        {
            Take();
            name = name with { Text = $"{name.Text}-{Take().Text}" };
        }
        return name;
    }

    private KqlException UnknownOperator(Token name) =>
        OperatorTable.Sources.Contains(name.Text)
            ? Error(name.At, $"'{name.Text}' starts a query and cannot follow '|'.", "extend adds columns to the rows.")
            : Error(
                name.At,
                $"'{name.Text}' is not an operator.",
                Similar.Hint(name.Text, OperatorTable.Steps) ?? $"Operators: {string.Join(", ", OperatorTable.Steps)}."
            );

    private Named ParseNamed()
    {
        var at = Current.At;
        if (Current.Kind is not (TokenKind.Word or TokenKind.QuotedName) || !Next.Is("="))
            return new(at, null, ParseExpression());
        var name = ExpectName("a name").Text;
        Take();
        return new(at, name, ParseExpression());
    }
}
