//! The places of a file that may be changed, and into what.

use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Arm, Attribute, BinOp, Block, Expr, ExprBinary, ExprIf, ExprLit, ExprMacro, ExprMethodCall,
    ExprRange, ExprUnary, ExprWhile, ImplItemFn, Item, ItemFn, ItemImpl, Lit, Pat, ReturnType,
    Signature, Stmt, Type, UnOp,
};

/// The kind of code in a place of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An expression, in whose place another may stand.
    Expression,
    /// A statement that may be left out.
    Statement,
    /// The inside of a function, before which it may return.
    Body,
}

/// A place, and what may stand there.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
    /// The function that it is in.
    pub(crate) function: String,
    /// The original code, as it is shown.
    pub(crate) original: String,
    pub(crate) replacements: Vec<String>,
}

/// Every place of a file in which something may be changed; of two, one is inside the other or none
/// is.
pub(crate) fn sites(source: &str) -> Vec<Site> {
    let file = syn::parse_file(source).expect("a file that compiles");
    let mut finder = Finder { source, context: Vec::new(), sites: Vec::new() };
    finder.visit_file(&file);
    finder.sites
}

struct Finder<'a> {
    source: &'a str,
    context: Vec<String>,
    sites: Vec<Site>,
}

impl Finder<'_> {
    fn text(&self, span: Span) -> String {
        self.source[span.byte_range()].to_owned()
    }

    fn add(&mut self, kind: Kind, range: Range<usize>, original: String, with: Vec<String>) {
        if !with.is_empty() {
            let function = self.context.join("::");
            self.sites.push(Site { kind, range, function, original, replacements: with });
        }
    }

    fn expression(&mut self, expr: &impl Spanned, replacements: Vec<String>) {
        let span = expr.span();
        self.add(Kind::Expression, span.byte_range(), self.text(span), replacements);
    }

    fn function(&mut self, signature: &Signature, attributes: &[Attribute], block: &Block) {
        let name = signature.ident.to_string();
        // Constant functions are called where constants are; what is shown is nobody's business.
        if signature.constness.is_some() || name == "fmt" || is_test(attributes) {
            return;
        }
        self.context.push(name);
        let open = block.brace_token.span.open().byte_range();
        let close = block.brace_token.span.close().byte_range();
        let values = match &signature.output {
            ReturnType::Default => vec![String::new()],
            ReturnType::Type(_, of) => values(of),
        };
        if !block.stmts.is_empty() {
            self.add(Kind::Body, open.end..close.start, "…".into(), values);
        }
        visit::visit_block(self, block);
        self.context.pop();
    }

    /// Changes a condition that is no comparison: those have changes of their own.
    fn condition(&mut self, condition: &Expr, replacements: &[&str]) {
        if !matches!(condition, Expr::Binary(_) | Expr::Let(_)) {
            self.expression(condition, replacements.iter().map(|&with| with.to_owned()).collect());
        }
    }
}

/// The values that a function may return instead of its own, by its type.
fn values(of: &Type) -> Vec<String> {
    let list = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect();
    match of {
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return Vec::new() };
            let inner = || match &last.arguments {
                syn::PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
                    Some(syn::GenericArgument::Type(of)) => values(of),
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            };
            match last.ident.to_string().as_str() {
                "bool" => list(&["true", "false"]),
                "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i32" | "i64" => {
                    list(&["0", "1"])
                }
                "f64" => list(&["0.0", "1.0"]),
                "Amount" => list(&["Amount::ZERO", "Amount::ONE"]),
                "String" | "Vec" => list(&["Default::default()"]),
                "Option" => {
                    let some = inner().into_iter().map(|value| format!("Some({value})"));
                    [String::from("None")].into_iter().chain(some).collect()
                }
                "Result" => inner().into_iter().map(|value| format!("Ok({value})")).collect(),
                _ => Vec::new(),
            }
        }
        Type::Tuple(tuple) if tuple.elems.is_empty() => list(&["()"]),
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(_) if reference.mutability.is_none() => list(&["&[]"]),
            Type::Path(path) if path.path.is_ident("str") => list(&["\"\""]),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Const(_) | Item::Static(_) | Item::Macro(_) => {}
            Item::Mod(module) if is_test(&module.attrs) => {}
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let name = self.text(item.self_ty.span());
        self.context.push(name.split('<').next().unwrap_or_default().to_owned());
        visit::visit_item_impl(self, item);
        self.context.pop();
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.function(&item.sig, &item.attrs, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.function(&item.sig, &item.attrs, &item.block);
    }

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_pat(&mut self, _: &'ast Pat) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_angle_bracketed_generic_arguments(
        &mut self,
        _: &'ast syn::AngleBracketedGenericArguments,
    ) {
    }

    /// The first value of an array is nearly always overwritten.
    fn visit_expr_repeat(&mut self, _: &'ast syn::ExprRepeat) {}

    /// How much room there is to begin with makes no difference.
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if !self.text(call.func.span()).ends_with("with_capacity") {
            visit::visit_expr_call(self, call);
        }
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        if let Stmt::Expr(expr, Some(_)) = stmt {
            let deletable = match expr {
                Expr::MethodCall(_) | Expr::Call(_) | Expr::Try(_) => true,
                // A variable that is not set does not compile.
                Expr::Assign(assign) => !matches!(&*assign.left, Expr::Path(_) | Expr::Tuple(_)),
                _ => false,
            };
            if deletable {
                let span = stmt.span();
                let text = self.text(span);
                self.add(Kind::Statement, span.byte_range(), text, vec![String::new()]);
            }
        }
        visit::visit_stmt(self, stmt);
    }

    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        let expr = Expr::Binary(binary.clone());
        let (left, right) = (self.text(binary.left.span()), self.text(binary.right.span()));
        let others: &[&str] = match binary.op {
            BinOp::Add(_) => &["-"],
            BinOp::Sub(_) => &["+"],
            BinOp::Mul(_) => &["/", "+"],
            BinOp::Div(_) => &["*"],
            BinOp::Rem(_) => &["/"],
            BinOp::Shl(_) => &[">>"],
            BinOp::Shr(_) => &["<<"],
            BinOp::BitAnd(_) => &["|"],
            BinOp::BitOr(_) => &["&"],
            BinOp::BitXor(_) => &["|"],
            BinOp::Eq(_) => &["!="],
            BinOp::Ne(_) => &["=="],
            BinOp::Lt(_) => &["<=", ">="],
            BinOp::Le(_) => &["<", ">"],
            BinOp::Gt(_) => &[">=", "<="],
            BinOp::Ge(_) => &[">", "<"],
            BinOp::AddAssign(_) => &["-="],
            BinOp::SubAssign(_) => &["+="],
            BinOp::MulAssign(_) => &["+="],
            _ => &[],
        };
        let mut replacements: Vec<_> =
            others.iter().map(|other| format!("{left} {other} {right}")).collect();
        if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) && !has_let(&expr) {
            replacements = vec![left, right];
        }
        self.expression(&expr, replacements);
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast ExprUnary) {
        if matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) {
            let operand = self.text(unary.expr.span());
            self.expression(unary, vec![operand]);
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_lit(&mut self, literal: &'ast ExprLit) {
        let text = self.text(literal.span());
        let replacements = match &literal.lit {
            Lit::Bool(value) => vec![(!value.value).to_string()],
            Lit::Int(value) => match value.base10_parse::<u128>() {
                Ok(0) => vec![format!("1{}", value.suffix())],
                Ok(_) => vec![format!("({text} - 1)"), format!("({text} + 1)")],
                Err(_) => Vec::new(),
            },
            Lit::Float(_) => vec![format!("({text} + 1.0)")],
            _ => Vec::new(),
        };
        self.expression(literal, replacements);
    }

    fn visit_expr_range(&mut self, range: &'ast ExprRange) {
        for end in [&range.start, &range.end].into_iter().flatten() {
            if !matches!(&**end, Expr::Lit(_) | Expr::Binary(_)) {
                let text = self.text(end.span());
                self.expression(&**end, vec![format!("({text} - 1)"), format!("({text} + 1)")]);
            }
        }
        visit::visit_expr_range(self, range);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let other = match call.method.to_string().as_str() {
            "min" => "max",
            "max" => "min",
            "any" => "all",
            "all" => "any",
            "is_some" => "is_none",
            "is_none" => "is_some",
            "is_ok" => "is_err",
            "is_err" => "is_ok",
            _ => "",
        };
        if !other.is_empty() {
            let (whole, name) = (call.span().byte_range(), call.method.span().byte_range());
            let (before, behind) =
                (&self.source[whole.start..name.start], &self.source[name.end..whole.end]);
            self.expression(call, vec![format!("{before}{other}{behind}")]);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_macro(&mut self, call: &'ast ExprMacro) {
        if call.mac.path.is_ident("matches") {
            let text = self.text(call.span());
            self.expression(call, vec![format!("!{text}")]);
        }
    }

    fn visit_expr_if(&mut self, expr: &'ast ExprIf) {
        self.condition(&expr.cond, &["true", "false"]);
        visit::visit_expr_if(self, expr);
    }

    fn visit_expr_while(&mut self, expr: &'ast ExprWhile) {
        self.condition(&expr.cond, &["false"]);
        visit::visit_expr_while(self, expr);
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.condition(guard, &["true", "false"]);
        }
        visit::visit_arm(self, arm);
    }
}
