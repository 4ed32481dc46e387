use super::*;

const LOOK: Look = Look { colour: (0x12, 0x34, 0x56), mark: None };

fn chart(costs: [f64; 2]) -> Chart {
    let series = |name: &str, look, cost| Series {
        name: String::from(name),
        look,
        points: vec![(256, cost * 2.0), (1024, cost)],
    };
    let marked = Look { colour: (0xab, 0xcd, 0xef), mark: Some(Mark::Disc) };
    Chart {
        title: String::from("Sealing"),
        series: vec![series("cheap", LOOK, costs[0]), series("dear", marked, costs[1])],
        limit: Some(0.25),
    }
}

/// The heights of a line's points; heights grow downwards.
fn heights(svg: &str, colour: &str) -> Vec<f64> {
    let line = svg.lines().find(|line| line.starts_with("<polyline") && line.contains(colour));
    let (_, points) = line.unwrap().split_once("points=\"").unwrap();
    let points = points.split('"').next().unwrap();
    points.split_whitespace().map(|p| p.split_once(',').unwrap().1.parse().unwrap()).collect()
}

#[test]
fn what_costs_more_lies_higher_on_either_axis() {
    for dear in [0.6, 20.0] {
        let svg = chart([0.5, dear]).svg().unwrap();
        let (cheap, dear) = (heights(&svg, "#123456"), heights(&svg, "#ABCDEF"));
        assert_eq!((cheap.len(), dear.len()), (2, 2), "{svg}");
        assert!(cheap[0] < cheap[1] && dear[0] < dear[1], "{svg}");
        assert!(dear[0] < cheap[0] && dear[1] < cheap[1], "{svg}");
    }
}

#[test]
fn everything_has_a_name() {
    let svg = chart([0.5, 1.0]).svg().unwrap();
    for text in [
        "Sealing",
        "cheap",
        "dear",
        "limit of",
        "cycles per byte",
        "length of",
        "256 B",
        "512 B",
        "1 KiB",
    ] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    // The one that ends higher stands first.
    assert!(svg.find("dear") < svg.find("cheap"), "{svg}");
    // Two points and one in the legend.
    assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
}

#[test]
fn without_a_limit_there_is_no_line_for_it() {
    let svg = Chart { limit: None, ..chart([0.5, 1.0]) }.svg().unwrap();
    assert!(!svg.contains("limit of"), "{svg}");
}

#[test]
fn every_mark_is_drawn() {
    let plain = chart([0.5, 1.0]).svg().unwrap();
    for mark in [Mark::Triangle, Mark::Square, Mark::Cross] {
        let mut chart = chart([0.5, 1.0]);
        chart.series[0].look.mark = Some(mark);
        let svg = chart.svg().unwrap();
        assert!(svg.matches("#123456").count() > plain.matches("#123456").count(), "{svg}");
    }
}

#[test]
fn nothing_is_no_plot() {
    assert!(Chart { title: String::new(), series: Vec::new(), limit: None }.svg().is_err());
}
