using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary><c>join kind=inner TABLE on NAME, …</c></summary>
internal static class Join
{
    private static readonly string[] OtherKinds =
    [
        .. "innerunique rightouter fullouter leftanti anti leftantisemi rightanti rightantisemi leftsemi rightsemi".Split(
            ' '
        ),
    ];

    public static Step Parse(Parser parser, Token name)
    {
        var kind = parser.ParseOption("kind")?.Text;
        var right = parser.ParseTable("a table or '(' after 'join'");
        parser.Expect("on", "after the table to join", "For example: join kind=inner (T) on operation_Id.");
        var conditions = parser.ListOf(parser.ParseExpression);
        return (source, binder) =>
        {
            var outer = IsOuter(kind, name.At, binder);
            return Bind(source, binder.BindTable(right), conditions, outer, binder);
        };
    }

    private static JoinPlan Bind(Plan left, Plan right, List<Expression> conditions, bool outer, QueryBinder binder)
    {
        // A condition is a name on both sides, or $left.a == $right.b.
        var keys = conditions.ConvertAll(condition => BindCondition(condition, left, right, binder));
        var names = new ColumnNames(binder.Text);
        foreach (var column in left.Columns.Concat(right.Columns))
            names.AddDerived(column.Name, column.Type);
        return new(
            left,
            right,
            keys.ConvertAll(key => key.Left),
            keys.ConvertAll(key => key.Right),
            outer,
            names.Columns
        );
    }

    private static bool IsOuter(string? kind, int at, QueryBinder binder) =>
        kind switch
        {
            "inner" => false,
            "leftouter" => true,
            null => throw binder.Error(
                at,
                "join without a kind removes duplicate rows of the left side, which is not supported.",
                "Write join kind=inner or join kind=leftouter."
            ),
            _ when OtherKinds.Contains(kind) => throw binder.Error(
                at,
                $"join kind={kind} is not supported.",
                "Write kind=inner or kind=leftouter."
            ),
            _ => throw binder.Error(
                at,
                $"'{kind}' is not a kind of join.",
                Similar.Hint(kind, ["inner", "leftouter"]) ?? "Write kind=inner or kind=leftouter."
            ),
        };

    private static (Scalar Left, Scalar Right) BindCondition(
        Expression condition,
        Plan left,
        Plan right,
        QueryBinder binder
    )
    {
        var (a, b) = Keys(condition)
            ?? throw binder.Error(
                condition.At,
                "tables are joined on columns.",
                "Write on NAME, or on $left.a == $right.b."
            );
        var leftKey = binder.Expressions(left.Columns).Bind(a);
        var rightKey = binder.Expressions(right.Columns).Bind(b);
        if (leftKey.Type == rightKey.Type && leftKey.Type != ColumnType.Dynamic)
            return (leftKey, rightKey);
        if (Conversions.Cost(leftKey.Type, rightKey.Type) is not null)
        {
            leftKey = Conversions.Convert(leftKey, rightKey.Type);
        }
        else if (Conversions.Cost(rightKey.Type, leftKey.Type) is not null)
        {
            rightKey = Conversions.Convert(rightKey, leftKey.Type);
        }
        else
        {
            throw binder.Error(
                condition.At,
                $"'{a.Text}' is {leftKey.Type.KqlName()} and '{b.Text}' is {rightKey.Type.KqlName()}.",
                "Convert one of them with extend before the join."
            );
        }
        return leftKey.Type != ColumnType.Dynamic
            ? (leftKey, rightKey)
            : throw binder.Error(
                condition.At,
                $"'{a.Text}' is dynamic and cannot be compared.",
                "Extend both sides with tostring(…) first."
            );
    }

    private static (Name Left, Name Right)? Keys(Expression condition) =>
        condition switch
        {
            Name name => (name, name),
            Operation { Function.Name: "==", Operands: [Member a, Member b] } => (Side(a), Side(b)) switch
            {
                ("$left", "$right") => (Key(a), Key(b)),
                ("$right", "$left") => (Key(b), Key(a)),
                _ => null,
            },
            _ => null,
        };

    private static string? Side(Member member) => (member.Target as Name)?.Text;

    private static Name Key(Member member) => new(member.At, member.Key);
}
