namespace DroneDelivery.LocalServiceBus.Entities.Rules;

/// <summary>
/// Reads the SQL of filters and actions. The grammar, weakest first:
/// <code>
///   predicate  = both { OR both }            both = negated { AND negated }         negated = [ NOT ] test
///   test       = EXISTS ( property ) | ( predicate ) | sum comparison
///   comparison = ( = | &lt;&gt; | != | &lt; | &lt;= | &gt; | &gt;= ) sum | IS [ NOT ] NULL
///              | [ NOT ] IN ( sum { , sum } ) | [ NOT ] LIKE sum [ ESCAPE 'c' ]
///   sum        = product { ( + | - ) product }          product = factor { ( * | / | % ) factor }
///   factor     = ( + | - ) factor | constant | TRUE | FALSE | NULL | @parameter | newid() | property | ( sum )
///              | property ( sum ) | p ( sum )
///   property   = [ sys . | user . ] name     name = word | [name] | "name"
///   action     = statement { ( ; | , ) statement }      statement = SET property = sum | REMOVE property
/// </code>
/// Keywords and property names have no case.
/// </summary>
internal sealed class SqlParser
{
    /// <summary>Characters of a filter or an action.</summary>
    public const int Longest = 1024;

    // Each level costs some stack frames, here and at every message.
    private const int Deepest = 32;

    private readonly List<SqlToken> _tokens;
    private readonly IReadOnlyDictionary<string, object?> _parameters;
    private int _at;
    private int _depth;

    private SqlParser(string text, IReadOnlyDictionary<string, object?>? parameters)
    {
        if (text.Length > Longest)
            throw new SqlException($"an expression has at most {Longest} characters", Longest + 1);
        _tokens = SqlTokens.Of(text);
        _parameters = parameters ?? new Dictionary<string, object?>();
    }

    private SqlToken Current => _tokens[_at];

    /// <exception cref="SqlException">It is none; the message says where and why.</exception>
    public static SqlPredicate Filter(string text, IReadOnlyDictionary<string, object?>? parameters = null)
    {
        var parser = new SqlParser(text, parameters);
        var predicate = parser.Predicate();
        parser.ExpectEnd();
        return predicate;
    }

    /// <exception cref="SqlException">It is none; the message says where and why.</exception>
    public static IReadOnlyList<SqlStatement> Action(string text, IReadOnlyDictionary<string, object?>? parameters = null)
    {
        var parser = new SqlParser(text, parameters);
        var statements = new List<SqlStatement> { parser.Statement() };
        while (parser.Take(";") || parser.Take(","))
        {
            if (parser.Current.Kind != SqlTokenKind.End)
                statements.Add(parser.Statement());
        }
        parser.ExpectEnd();
        return statements;
    }

    private SqlStatement Statement()
    {
        if (!Current.Is("SET") && !Current.Is("REMOVE"))
            throw Unexpected("SET or REMOVE");
        var removes = _tokens[_at++].Is("REMOVE");
        var position = Current.Position;
        var property = Property();
        if (property.IsSystem && (removes || !SystemProperty.Settable.Contains(property.Name)))
            throw new SqlException($"an action cannot {(removes ? "remove" : "set")} sys.{property.Name}", position);
        if (removes)
            return new SqlStatement(property, null);
        Expect("=");
        return new SqlStatement(property, Sum());
    }

    private SqlPredicate Predicate()
    {
        Descend();
        var left = Both();
        while (Take("OR"))
            left = new SqlPredicate.Or(left, Both());
        _depth--;
        return left;
    }

    private SqlPredicate Both()
    {
        var left = Negated();
        while (Take("AND"))
            left = new SqlPredicate.And(left, Negated());
        return left;
    }

    private SqlPredicate Negated()
    {
        if (!Take("NOT"))
            return Test();
        Descend();
        var operand = Negated();
        _depth--;
        return new SqlPredicate.Not(operand);
    }

    private SqlPredicate Test()
    {
        if (Current.Is("EXISTS") && _tokens[_at + 1].Is("("))
            return Exists();
        // What a parenthesis begins shows only behind it: ( a + b ) > c, or ( a > b ) OR c.
        if (!Current.Is("(") || IsComparedBehindParentheses())
            return Comparison();
        _at++;
        var predicate = Predicate();
        Expect(")");
        return predicate;
    }

    private SqlPredicate.Exists Exists()
    {
        _at += 2;
        var property = Property();
        Expect(")");
        return new SqlPredicate.Exists(property);
    }

    private bool IsComparedBehindParentheses()
    {
        var open = 0;
        for (var i = _at; i < _tokens.Count; i++)
        {
            open += _tokens[i].Is("(") ? 1 : _tokens[i].Is(")") ? -1 : 0;
            if (open == 0)
                return Comparing.Any(_tokens[i + 1].Is);
        }
        return false;
    }

    private static readonly string[] Comparing =
        ["=", "<>", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "IS", "IN", "LIKE", "NOT"];

    private SqlPredicate Comparison()
    {
        var left = Sum();
        if (Current.Text is "=" or "<>" or "!=" or "<" or "<=" or ">" or ">=" && Current.Kind == SqlTokenKind.Sign)
            return new SqlPredicate.Comparison(_tokens[_at++].Text, left, Sum());
        if (Take("IS"))
        {
            var isNot = Take("NOT");
            Expect("NULL");
            return Negate(isNot, new SqlPredicate.IsNull(left));
        }
        var negated = Take("NOT");
        if (Take("IN"))
            return Negate(negated, new SqlPredicate.In(left, List()));
        if (Take("LIKE"))
            return Negate(negated, new SqlPredicate.Like(left, Sum(), Take("ESCAPE") ? Escape() : null));
        throw Unexpected(negated ? "IN or LIKE" : "a comparison");
    }

    private static SqlPredicate Negate(bool isNegated, SqlPredicate predicate) =>
        isNegated ? new SqlPredicate.Not(predicate) : predicate;

    private List<SqlExpression> List()
    {
        Expect("(");
        var values = new List<SqlExpression>();
        do
            values.Add(Sum());
        while (Take(","));
        Expect(")");
        return values;
    }

    private char Escape()
    {
        if (Current is not { Kind: SqlTokenKind.Constant, Value: string { Length: 1 } escape })
            throw Unexpected("a string of one character");
        _at++;
        return escape[0];
    }

    private SqlExpression Sum()
    {
        Descend();
        var left = Product();
        while (Current.Is("+") || Current.Is("-"))
            left = new SqlExpression.Calculation(_tokens[_at++].Text[0], left, Product());
        _depth--;
        return left;
    }

    private SqlExpression Product()
    {
        var left = Factor();
        while (Current.Is("*") || Current.Is("/") || Current.Is("%"))
            left = new SqlExpression.Calculation(_tokens[_at++].Text[0], left, Factor());
        return left;
    }

    private SqlExpression Factor()
    {
        if (Current.Is("+") || Current.Is("-"))
            return Signed();
        if (Take("("))
        {
            var sum = Sum();
            Expect(")");
            return sum;
        }
        if (Current.Is("@"))
            return Parameter();
        if (Current.Is("newid") && _tokens[_at + 1].Is("("))
        {
            _at += 2;
            Expect(")");
            return new SqlExpression.NewId();
        }
        if (Literal() is { } literal)
            return literal;
        return (Current.Is("property") || Current.Is("p")) && _tokens[_at + 1].Is("(") ? PropertyOf() : Property();
    }

    private SqlExpression.Constant? Literal()
    {
        if (Current.Kind == SqlTokenKind.Constant)
            return new SqlExpression.Constant(_tokens[_at++].Value);
        if (Take("TRUE"))
            return new SqlExpression.Constant(true);
        if (Take("FALSE"))
            return new SqlExpression.Constant(false);
        return Take("NULL") ? new SqlExpression.Constant(null) : null;
    }

    private SqlExpression Signed()
    {
        Descend();
        var isNegative = _tokens[_at++].Text == "-";
        var operand = Factor();
        _depth--;
        return isNegative ? new SqlExpression.Negative(operand) : operand;
    }

    private SqlExpression.Constant Parameter()
    {
        var token = _tokens[_at++];
        var name = "@" + Name();
        return _parameters.TryGetValue(name, out var value)
            ? new SqlExpression.Constant(SqlValue.Of(value))
            : throw new SqlException($"the parameter {Excerpt.Of(name)} has no value", token.Position);
    }

    private SqlExpression.PropertyOf PropertyOf()
    {
        _at += 2;
        var name = Sum();
        Expect(")");
        return new SqlExpression.PropertyOf(name);
    }

    private SqlExpression.Property Property()
    {
        var start = Current;
        var name = Name();
        if (!Take("."))
            return new SqlExpression.Property(false, name);
        if (start.Is("user"))
            return new SqlExpression.Property(false, Name());
        if (!start.Is("sys"))
            throw new SqlException($"'{Excerpt.Of(name)}' is neither sys nor user", start.Position);
        var position = Current.Position;
        var written = Name();
        return SystemProperty.Find(written) is { } known
            ? new SqlExpression.Property(true, known)
            : throw new SqlException(
                $"there is no property sys.{Excerpt.Of(written)}, but {string.Join(", ", SystemProperty.Names)}", position);
    }

    private static readonly HashSet<string> Keywords = new(StringComparer.OrdinalIgnoreCase)
    {
        "AND", "OR", "NOT", "IS", "NULL", "IN", "LIKE", "ESCAPE", "EXISTS", "TRUE", "FALSE", "SET", "REMOVE",
    };

    private string Name()
    {
        var token = Current;
        if (token.Kind != SqlTokenKind.Name && (token.Kind != SqlTokenKind.Word || Keywords.Contains(token.Text)))
            throw Unexpected("a value or the name of a property");
        _at++;
        return token.Text;
    }

    private bool Take(string word)
    {
        if (!Current.Is(word))
            return false;
        _at++;
        return true;
    }

    private void Expect(string word)
    {
        if (!Take(word))
            throw Unexpected(word);
    }

    private void ExpectEnd()
    {
        if (Current.Kind != SqlTokenKind.End)
            throw Unexpected("the end");
    }

    private void Descend()
    {
        if (++_depth > Deepest)
            throw new SqlException($"more than {Deepest} levels of nesting", Current.Position);
    }

    private SqlException Unexpected(string expected)
    {
        var found = Current.Kind == SqlTokenKind.End ? Current.Text : $"'{Excerpt.Of(Current.Text)}'";
        return new($"{expected} is expected, and not {found}", Current.Position);
    }
}

/// <summary>One step of an action.</summary>
/// <param name="Property">What it changes.</param>
/// <param name="Value">Null: the property is removed.</param>
internal sealed record SqlStatement(SqlExpression.Property Property, SqlExpression? Value)
{
    /// <exception cref="FilterException">The value cannot be had from this message.</exception>
    public void Apply(IRuleMessage message)
    {
        var value = Value?.Evaluate(message);
        if (Property.IsSystem)
            message.SetSystem(Property.Name, value);
        else
            message.Set(Property.Name, value);
    }
}
